trap { [Console]::Error.WriteLine($_); exit 1 }
$ErrorActionPreference = 'Stop'
$trusted = 'S-1-5-18', 'S-1-5-32-544', 'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464'
function Assert-Ours($Item) {
    if ($Item.Attributes -band [IO.FileAttributes]::ReparsePoint) { throw "$($Item.FullName) is a link to another place: look at it and remove it" }
    $owner = (Get-Acl -LiteralPath $Item.FullName).GetOwner([Security.Principal.SecurityIdentifier]).Value
    if ($trusted -notcontains $owner) { throw "$($Item.FullName) belongs to ${owner}: look at it and remove it, or: icacls $($Item.FullName) /setowner *S-1-5-32-544 /t" }
}
$folder = $env:TRANSOM_HOME
Assert-Ours (Get-Item -LiteralPath (Split-Path -Parent $folder) -Force)
Assert-Ours (Get-Item -LiteralPath $folder -Force)
Get-ChildItem -LiteralPath $folder -Force -Recurse | ForEach-Object { Assert-Ours $_ }
