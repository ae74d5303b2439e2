"""`transom verify`: checks of Windows nodes, their results over time, and whether anything regressed."""

SUMMARY = "Check Windows nodes; keep results over time, show them as a grid, and judge them."

VERBS = {
    "run": "check Windows nodes in the cluster itself; exit 1 where a check fails",
    "schedule": "have the cluster run the checks every day: a CronJob with the rights it needs",
    "import": "keep the results of runs: JUnit, Ginkgo, Prow, Sonobuoy",
    "grid": "write the grid as one HTML file",
    "serve": "show the grid in a browser until interrupted; it follows the store",
    "gate": "say what regressed; exit 1 if anything did",
    "list": "which of upstream's tests the jobs of SIG Windows run, and how to run the same",
}

EXAMPLES = """\
examples:
  transom verify run --dry-run                           which checks would run, and what they create
  transom verify run --suite network --store results.db  run them, and keep the results
  transom verify schedule --apply                        the same every day
  transom verify import _artifacts/junit_01.xml --variant kubernetes=1.37.1 --variant windows=20348
  transom verify import logs/ci-windows/                 every run of a Prow job
  transom verify import 202611180405_sonobuoy.tar.gz     versions are read from its nodes
  transom verify grid --out grid.html                    one file, to open or to publish
  transom verify gate                                    exit 1 where something regressed
  transom verify gate --against latest                   only the run before the newest
  transom verify gate --preset released -o junit
  transom verify list --kubernetes 1.37 --job windows    which of upstream's tests that runs, and how

exit codes: 0 done or nothing regressed, 1 a check failed or something regressed, 2 usage or unreadable results,
  4 try again, 5 nothing could be proven
"""
