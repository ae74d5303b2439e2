"""Every declared document that leaves the program, by the name of its schema.

Read by the generator of schemas and by tests. `transom schema` does not read it: the shipped files
are its list.
"""

from transom.documents.addons import AddonChanges
from transom.documents.boot import BootStory, PackResult
from transom.documents.error import ErrorDocument
from transom.documents.explanation import ExplanationDocument
from transom.documents.facts import Facts, FactsMatrix
from transom.documents.findings import FindingsDocument
from transom.documents.fleets import FleetPlanDocument, FleetResult, FleetStatusDocument
from transom.documents.images import ImageValidation, PublishedImages
from transom.documents.lock import LockDocument, LockReportDocument
from transom.documents.names import NameReport
from transom.documents.nodes import (
    AdoptResult,
    CollectResult,
    JoinResult,
    ResetResult,
    UpgradeResult,
)
from transom.documents.recipes import RecipeList
from transom.documents.rules import RuleList
from transom.documents.verify import (
    GateReport,
    GridSummary,
    ImportResult,
    UpstreamTests,
    VerifyPlan,
    VerifyResult,
)
from transom.image.bundle.manifest import BundleManifest
from transom.model.answers import (
    BootReport,
    CommandResult,
    Failure,
    Inventory,
    Leftovers,
    NodeStatus,
    Plan,
    Result,
    SelfTest,
    Survey,
)
from transom.model.api_versions import KINDS
from transom.model.entry import NodeEntry
from transom.model.event import Event
from transom.model.image import ImageProvenance
from transom.model.journal import JournalRecord, Receipt
from transom.model.order import Order
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.model.request import Request
from transom.model.sight import Given
from transom.node.doctor.collection import CollectionManifest
from transom.node.doctor.observation import Observation
from transom.node.doctor.verbs import Collected


@dataclass(frozen=True, slots=True)
class Document:
    """A document's name, its declaration, where one meets it, and whether Transom reads it."""

    name: str
    declaration: type
    met: str
    is_input: bool = False

    @property
    def version(self) -> str:
        """The version of its form, without the group; that of its group where it is a part of others."""
        kind = getattr(self.declaration, "__dataclass_fields__", {}).get("kind")
        versions = KINDS.get(str(kind.default)) if kind is not None else None
        return versions.version if versions is not None else KINDS["Journal"].version

    @property
    def file(self) -> str:
        """The name of its schema's file."""
        return f"{self.name}-{self.version}.schema.json"


DOCUMENTS = (
    Document(
        "bundle",
        BundleManifest,
        "`manifest.json` in a bundle; `transom bundle verify -o json`",
    ),
    Document("boot-report", BootReport, r"`C:\k\transom\boot\report.json`, after a failed boot"),
    Document("boot-story", BootStory, "`transom userdata lint --explain -o json`"),
    Document("addon-changes", AddonChanges, "`transom addons diff|apply|delete -o json`"),
    Document("adopt-result", AdoptResult, "`transom adopt -o json`"),
    Document("collect-result", CollectResult, "`transom collect -o json`"),
    Document("collected", Collected, "what `node.pyz collect` prints"),
    Document("collection", CollectionManifest, "`manifest.json` in an archive of `collect`"),
    Document("error", ErrorDocument, "`-o json` of every command that fails"),
    Document("event", Event, "each line of a run's event file on a host"),
    Document("explanation", ExplanationDocument, "`transom explain -o json`"),
    Document("facts", Facts, "`transom facts -o json` with a version or a release"),
    Document("facts-matrix", FactsMatrix, "`transom facts -o json`"),
    Document("failure", Failure, "answer of a verb of the node program that fails"),
    Document("fleet-plan", FleetPlanDocument, "`transom plan -o json`"),
    Document(
        "fleet-result",
        FleetResult,
        "`-o json` of `transom apply`, `adopt`, `upgrade`, `maintain`, `reset --host`",
    ),
    Document("fleet-status", FleetStatusDocument, "`transom status -o json`"),
    Document(
        "findings", FindingsDocument, "`-o json` of `transom lint`, `doctor` and `userdata lint`"
    ),
    Document("gate-report", GateReport, "`transom verify gate -o json`"),
    Document("grid-summary", GridSummary, "`transom verify grid -o json`"),
    Document(
        "given",
        Given,
        "standard input of `node.pyz doctor --given` and `collect --given`",
        is_input=True,
    ),
    Document("command-result", CommandResult, "answer of the node program's `command`"),
    Document("import-result", ImportResult, "`transom verify import -o json`"),
    Document("inventory", Inventory, "answer of the node program's `inventory`"),
    Document("join-result", JoinResult, "`transom join -o json`"),
    Document("journal-record", JournalRecord, "each line of the journal on a host"),
    Document("leftovers", Leftovers, "answer of the node program's `leftovers`"),
    Document("lock", LockDocument, "`transom.lock`, which is TOML", is_input=True),
    Document("lock-report", LockReportDocument, "`transom lock -o json`"),
    Document("name-report", NameReport, "`transom capi names -o json`"),
    Document("node-entry", NodeEntry, "`node.json` beside `Prepare-Node.ps1`", is_input=True),
    Document("node-status", NodeStatus, "answer of the node program's `status`"),
    Document("image-validation", ImageValidation, "`transom image validate -o json`"),
    Document("image-provenance", ImageProvenance, "`image.json` in an image of a node"),
    Document(
        "order",
        Order,
        "standard input of `node.pyz` without arguments, deflated and in base64",
        is_input=True,
    ),
    Document("published-images", PublishedImages, "`transom image list -o json`"),
    Document("pack-result", PackResult, "`transom userdata pack -o json`"),
    Document("plan", Plan, "answer of the node program's `plan`"),
    Document("receipt", Receipt, "what the undo of a step is given: its intents in the journal"),
    Document("observation", Observation, "`observation.json` in an archive of `collect`"),
    Document(
        "recipe", Recipe, "an item of a recipe list; what the node program is handed", is_input=True
    ),
    Document("recipe-list", RecipeList, "`transom recipe -o json` and `-o yaml`"),
    Document("request", Request, "standard input of the node program", is_input=True),
    Document("result", Result, "last line of a run with `--foreground`"),
    Document("rule-list", RuleList, "`transom lint --list-rules -o json`"),
    Document("self-test", SelfTest, "answer of the node program's `selftest`"),
    Document("upgrade-result", UpgradeResult, "`transom upgrade -o json`"),
    Document("reset-result", ResetResult, "`transom reset ADDRESS -o json`"),
    Document("upstream-tests", UpstreamTests, "`transom verify list -o json`"),
    Document("verify-plan", VerifyPlan, "`transom verify run --dry-run -o json`"),
    Document("verify-result", VerifyResult, "`transom verify run -o json`"),
    Document("survey", Survey, "answer of the node program's `survey`"),
)
