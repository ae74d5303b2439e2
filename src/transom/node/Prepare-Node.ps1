<#
.SYNOPSIS
Makes this Windows machine ready to be a Kubernetes node, and a node of its cluster if asked to.

.DESCRIPTION
Brings Transom's node program by its SHA-256 and starts it with the recipe.json beside this file. All
that is done to the machine is in the recipe, and written down so that it can be taken back.
This file is the same for every machine and every site, so it can be signed once. A second run of an
unchanged recipe changes nothing. The exit code is the node program's: 0 done, 2 wrong arguments or
files, 3 the machine cannot (every reason is printed), 4 restart Windows and run it again, 5 failed and
undone.

.PARAMETER KubernetesVersion
The version that is expected. The recipe decides; where it has another version nothing is done.

.PARAMETER HostnameOverride
The node's name that is expected. Where the recipe is another machine's nothing is done.

.PARAMETER Join
Join the cluster as well. The bootstrap token is asked for and not shown.

.PARAMETER JoinConfig
Join the cluster with this file: a JoinConfiguration of kubeadm, which holds the token. The file is
closed to everybody but SYSTEM and administrators. It stays where it is: remove it afterwards.

.EXAMPLE
.\Prepare-Node.ps1

.EXAMPLE
.\Prepare-Node.ps1 -Join

.EXAMPLE
.\Prepare-Node.ps1 -JoinConfig .\join.yaml -KubernetesVersion v1.37.1
#>
#Requires -Version 5.1
[CmdletBinding()]
param(
    [string] $KubernetesVersion = '',
    [string] $HostnameOverride = '',
    [string] $JoinConfig = '',
    [switch] $Join
)
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

$Parent = 'C:\k'
$Folder = Join-Path $Parent 'transom'
$Python = Join-Path $Folder 'python'
$Program = Join-Path $Folder 'node.pyz'
$Brought = Join-Path $Folder 'brought.json'
$Administrators = '*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F'
$Trusted = 'S-1-5-18', 'S-1-5-32-544', 'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464'
$DownloadSeconds = 900

function Stop-Script([int] $Code, [string] $Message, [string] $Next) {
    $Host.UI.WriteErrorLine("error: $Message")
    $Host.UI.WriteErrorLine("  next:  $Next")
    exit $Code
}

trap { Stop-Script 5 $_.Exception.Message 'Correct it and run this again; nothing is done twice.' }

function Read-Document([string] $Path) {
    if (-not (Test-Path -LiteralPath $Path -PathType Leaf)) {
        Stop-Script 2 "there is no $Path" 'Keep the files that transom script wrote in one folder.'
    }
    [IO.File]::ReadAllText($Path) | ConvertFrom-Json
}

function Test-Sum([string] $Path, [string] $Sha256) {
    (Test-Path -LiteralPath $Path -PathType Leaf) -and
        (Get-FileHash -Algorithm SHA256 -LiteralPath $Path).Hash -eq $Sha256
}

# The file of that sum: the one beside this script, else downloaded.
function Copy-Verified($Wanted, [string] $Target) {
    $beside = Join-Path $PSScriptRoot $Wanted.file
    $from = $beside
    if (Test-Path -LiteralPath $beside -PathType Leaf) {
        Copy-Item -LiteralPath $beside -Destination $Target -Force
    }
    elseif ($Wanted.url) {
        $from = $Wanted.url
        [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
        Invoke-WebRequest -UseBasicParsing -Uri $Wanted.url -OutFile $Target -TimeoutSec $DownloadSeconds
    }
    else {
        Stop-Script 2 "there is no $beside" 'Keep the files that transom script wrote in one folder.'
    }
    if (-not (Test-Sum $Target $Wanted.sha256)) {
        Remove-Item -LiteralPath $Target -Force
        Stop-Script 5 "$from is not the file of SHA-256 $($Wanted.sha256)" 'Bring the file that was locked.'
    }
}

function Assert-Ours($Item) {
    if ($Item.Attributes -band [IO.FileAttributes]::ReparsePoint) {
        Stop-Script 3 "$($Item.FullName) is a link to another place" 'Look at it and remove it.'
    }
    $owner = (Get-Acl -LiteralPath $Item.FullName).GetOwner([Security.Principal.SecurityIdentifier]).Value
    if ($Trusted -notcontains $owner) {
        Stop-Script 3 "$($Item.FullName) belongs to ${owner}: nothing in it is used" "Look at it and remove it, or: icacls $($Item.FullName) /setowner *S-1-5-32-544 /t"
    }
}

# Below C:\ every user may make folders and owns what they make: the folder is closed, and refused with
# anything of theirs in it, before anything in it is read or started.
function New-ClosedFolder {
    $made = @()
    foreach ($path in $Parent, $Folder) {
        if (-not (Test-Path -LiteralPath $path)) {
            New-Item -ItemType Directory -Path $path | Out-Null
            $made += $path
        }
        Assert-Ours (Get-Item -LiteralPath $path -Force)
    }
    & icacls.exe $Folder '/inheritance:r' '/grant:r' $Administrators | Out-Null
    if ($LASTEXITCODE -ne 0) {
        Stop-Script 5 "icacls could not close $Folder and ended with $LASTEXITCODE" 'Look at who owns it.'
    }
    Get-ChildItem -LiteralPath $Folder -Force -Recurse | ForEach-Object { Assert-Ours $_ }
    , $made
}

# Another Python may run in services and pods: Windows renames its files, and removes none that runs.
function Move-PythonAside {
    if (-not (Test-Path -LiteralPath $Python)) { return }
    $number = 1
    while (Test-Path -LiteralPath (Join-Path $Folder "old\script-$number")) { $number++ }
    $place = Join-Path $Folder "old\script-$number"
    New-Item -ItemType Directory -Path $place | Out-Null
    Get-ChildItem -LiteralPath $Python -Force | Move-Item -Destination $place
}

# Python and the node program, by their sums; what is there already stays.
function Install-Program($Entry) {
    $there = $null
    $made = New-ClosedFolder
    if (Test-Path -LiteralPath $Brought -PathType Leaf) {
        $there = [IO.File]::ReadAllText($Brought) | ConvertFrom-Json
        $made = @($there.made) + $made
    }
    $hasPython = $there -and $there.python -eq $Entry.python.sha256 -and
        (Test-Path -LiteralPath (Join-Path $Python 'python.exe') -PathType Leaf)
    if ($hasPython -and $there.program -eq $Entry.program.sha256 -and (Test-Sum $Program $Entry.program.sha256)) {
        return
    }
    if (-not $hasPython) {
        $archive = Join-Path $Folder 'python.zip'
        Copy-Verified $Entry.python $archive
        Move-PythonAside
        Expand-Archive -LiteralPath $archive -DestinationPath $Python
        Remove-Item -LiteralPath $archive -Force
    }
    $part = "$Program.part"
    Copy-Verified $Entry.program $part
    Move-Item -LiteralPath $part -Destination $Program -Force
    $note = @{ python = $Entry.python.sha256; program = $Entry.program.sha256; made = @($made) }
    [IO.File]::WriteAllText($Brought, (ConvertTo-Json -InputObject $note -Compress))
}

$me = New-Object Security.Principal.WindowsPrincipal ([Security.Principal.WindowsIdentity]::GetCurrent())
if (-not $me.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
    Stop-Script 3 'this PowerShell runs without the full rights of an administrator' 'Start PowerShell with "Run as administrator".'
}

$entryFile = Join-Path $PSScriptRoot 'node.json'
Install-Program (Read-Document $entryFile)

$command = Join-Path $Python 'python.exe'
$about = @('--recipe', (Join-Path $PSScriptRoot 'recipe.json'), '--entry', $entryFile, '--output', 'text')
if ($KubernetesVersion) { $about += '--kubernetes-version', $KubernetesVersion }
if ($HostnameOverride) { $about += '--hostname', $HostnameOverride }

& $command $Program prepare @about
if ($LASTEXITCODE -ne 0 -or -not ($Join -or $JoinConfig)) { exit $LASTEXITCODE }

if ($JoinConfig) {
    $JoinConfig = $PSCmdlet.GetUnresolvedProviderPathFromPSPath($JoinConfig)
    & $command $Program join @about --join-config $JoinConfig
}
else {
    $secret = Read-Host -AsSecureString -Prompt 'Bootstrap token'
    (New-Object Net.NetworkCredential ('', $secret)).Password | & $command $Program join @about
}
exit $LASTEXITCODE
