"""`transom bundle`: everything a fleet needs in one archive, for sites without internet."""

SUMMARY = (
    "One archive with every byte a fleet needs: made, signed, checked, served to hosts, pushed."
)

VERBS = {
    "create": "gather everything the lock names and write the bundle",
    "verify": "check every byte, and a signature where one is given",
    "sign": "check every byte and sign it for those who have the public key",
    "serve": "serve artifacts and images to hosts over HTTPS until interrupted",
    "push": "put the bundle's images into a registry; only what it lacks is sent",
}

EXAMPLES = """\
examples:
  transom lock -f fleet.yaml --images                         pin artifacts and images
  transom bundle create -f fleet.yaml -o shop.bundle          where there is internet
  transom bundle sign shop.bundle --key site.key              for those who have site.pub
  transom bundle verify shop.bundle                           where there is none
  transom bundle serve shop.bundle --listen 10.0.0.5:8443     a mirror for hosts
  transom bundle push shop.bundle --to https://registry.corp  its images into a registry
  transom apply -f fleet.yaml --bundle shop.bundle            use nothing else

exit codes: 0 done, 2 usage, 3 an image lacks a build in use, 4 try again, 5 damaged or refused
"""
