"""Write every generated file of the repository, or with --check say which are out of date.

Run by people after a change to facts or documents, and with --check by `make check`.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import field_changes
import golden_images as images
import golden_plans as plans
import network_pictures
import step_pages
from transom.addons import delivery, network_page
from transom.addons.catalogue import render
from transom.addons.setting import setting_of
from transom.bootstrap import page as boot_page
from transom.documents.catalogue import DOCUMENTS
from transom.documents.schema import schema_of
from transom.facts import compile as facts_compile
from transom.facts.rows import COMPILED
from transom.model.api_versions import KINDS
from transom.model.codec import decode, encode
from transom.model.reason import reason_of
from transom.model.recipe import Recipe
from transom.node.doctor import page as troubleshooting
from transom.node.steps import STEPS
from transom.recipe.resolve import resolve
from transom.site.fleet_keys import changes
from transom.site.ids import register
from transom.spec import reference, schema
from transom.spec.fleet import read_fleets
from transom.spec.shapes.client import CLIENT
from transom.spec.shapes.document import FLEET, WINDOWS_HOST
from transom.verify import check_page
from transom.workload import differences, page
from transom.workload.catalogue import all_rules
from transom.workload.families import SECTIONS

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "src" / "transom" / "schemas"
# What schemas are called by: a name, not a place that anything is fetched from.
IDS = "https://transom.dev/schemas/"

WRITTEN = (FLEET, WINDOWS_HOST, CLIENT)

_SCHEMAS_PAGE = """\
# Schemas

The JSON Schemas, draft 2020-12, of the documents that Transom reads and prints. They ship with it: `transom schema NAME` prints one.

Each document says its group and version in `apiVersion`. The group says who it is for: `transom.dev` has what people write and commit,
`output.transom.dev` what `-o json` prints, `node.transom.dev` what the node program reads and writes. A group changes its version without the
others. Schemas of what Transom reads refuse unknown keys; what it prints may get keys and values without a new version, so let your
program pass over those that it does not know. `transom.dev/v1alpha1`, which every document had before there were groups, is still read.

<!-- generated from the declarations of the documents by tools/generate.py; edit nothing -->

| name | document | where one meets it |
|---|---|---|
"""


def compiled_facts() -> Iterator[tuple[Path, str]]:
    """One JSON document per subject of facts."""
    for subject in facts_compile.subjects():
        yield Path(COMPILED, f"{subject}.json"), facts_compile.compile_subject(subject)


def fleet_schema() -> Iterator[tuple[Path, str]]:
    """The JSON Schema of the files that people write, as it is shipped."""
    name = "fleet-v1alpha2"
    yield SCHEMAS / f"{name}.schema.json", schema.schema_text(schema.schema_of_files(name, WRITTEN))


def document_schemas() -> Iterator[tuple[Path, str]]:
    """The JSON Schema of every document that is declared as a dataclass, as it is shipped."""
    for document in DOCUMENTS:
        schema = schema_of(
            document.declaration, is_input=document.is_input, uri=f"{IDS}{document.file}"
        )
        yield SCHEMAS / document.file, json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def schemas_page() -> Iterator[tuple[Path, str]]:
    """The list of schemas."""
    fleet = "`fleet.yaml`, which people write ([all keys](../fleet.md))"
    rows = [("fleet", "fleet-v1alpha2.schema.json", "Fleet", fleet)]
    rows += [
        (document.name, document.file, schema_of(document.declaration)["title"], document.met)
        for document in DOCUMENTS
    ]
    lines = (
        f"| [{name}](../../src/transom/schemas/{file}) | {_group(kind)} {kind} | {met} |\n"
        for name, file, kind, met in sorted(rows)
    )
    yield ROOT / "docs" / "schemas" / "README.md", _SCHEMAS_PAGE + "".join(lines)


def _group(kind: str) -> str:
    return KINDS[kind].group if kind in KINDS else KINDS["Journal"].group


def fleet_page() -> Iterator[tuple[Path, str]]:
    """The reference part of the page about the Fleet document; what people wrote above stays."""
    path = ROOT / "docs" / "fleet.md"
    written, mark, _ = path.read_text(encoding="utf-8").partition(reference.MARK)
    yield path, f"{written}{mark}\n\n{reference.reference(WRITTEN, changes=changes())}"


def golden_recipes() -> Iterator[tuple[Path, str]]:
    """The recipe of each fleet in the test data: read these in review."""
    for path in sorted((ROOT / "tests" / "data" / "fleets").glob("k1*.yaml")):
        for fleet in read_fleets(path.read_bytes(), name=path.name):
            (recipe,) = resolve(fleet)
            text = json.dumps(encode(recipe), indent=1, ensure_ascii=False) + "\n"
            yield ROOT / "tests" / "data" / "recipes" / f"{path.stem}.json", text


def golden_addons() -> Iterator[tuple[Path, str]]:
    """What each of those fleets needs of its cluster."""
    for path in sorted((ROOT / "tests" / "data" / "fleets").glob("k1*.yaml")):
        for fleet in read_fleets(path.read_bytes(), name=path.name):
            text = delivery.stream(render(setting_of(fleet, resolve(fleet))))
            yield ROOT / "tests" / "data" / "addons" / f"{path.stem}.yaml", text


def golden_images() -> Iterator[tuple[Path, str]]:
    """What an image of each platform is built with: read these in review."""
    text = (ROOT / "tests" / "data" / "recipes" / images.RECIPE).read_text("utf-8")
    for platform, files in images.golden_folders(decode(Recipe, json.loads(text))):
        for name, content in files.items():
            yield ROOT / "tests" / "data" / "images" / platform / name, content


def golden_plans() -> Iterator[tuple[Path, str]]:
    """What the node program would do on a new machine with each golden recipe."""
    for path in sorted((ROOT / "tests" / "data" / "recipes").glob("*.json")):
        recipe = decode(Recipe, json.loads(path.read_text("utf-8")))
        yield ROOT / "tests" / "data" / "plans" / path.name, plans.golden_plan(recipe)


def pages_of_steps() -> Iterator[tuple[Path, str]]:
    """A page per step of the node program, and the list."""
    at_work: dict[str, list[str]] = {step.id: [] for step in STEPS}
    goldens = sorted((ROOT / "tests" / "data" / "plans").glob("*.json"))
    for path in goldens:
        for planned in json.loads(path.read_text("utf-8"))["steps"]:
            if planned["drift"]:
                at_work[planned["step"]].append(path.stem)
    folder = ROOT / "docs" / "steps"
    for step in STEPS:
        text = step_pages.page(step, at_work=at_work[step.id], goldens=len(goldens))
        yield folder / f"{step.id}.md", text
    yield folder / "README.md", step_pages.index(STEPS)


def rule_pages() -> Iterator[tuple[Path, str]]:
    """A page per rule about workloads, with the fixtures of its tests as examples, and the list."""
    folder = ROOT / "docs" / "rules"
    rules = all_rules()
    for rule in rules:
        fixtures = ROOT / "tests" / "data" / "rules" / rule.name
        texts = {
            kind: [path.read_text("utf-8") for path in sorted(fixtures.glob(f"{kind}-*.yaml"))]
            for kind in ("bad", "good")
        }
        yield folder / f"{rule.id}.md", page.page(rule, bad=texts["bad"], good=texts["good"])
    yield folder / "README.md", page.index(rules)


def differences_page() -> Iterator[tuple[Path, str]]:
    """The API on Windows, field by field."""
    folder = ROOT / "examples"
    wanted = (section.example for section in SECTIONS if section.example)
    examples = {name: (folder / name).read_text("utf-8") for name in wanted}
    pages = frozenset(rule.id for rule in all_rules())
    yield ROOT / "docs" / "api-differences.md", differences.differences(examples, pages=pages)


def network_pages() -> Iterator[tuple[Path, str]]:
    """The pictures of each mode, and a page for each network with the files of its golden fleets."""
    for mode, picture in network_pictures.pictures().items():
        yield ROOT / "docs" / "pictures" / f"{mode}.svg", picture
    examples: dict[str, list[network_page.Example]] = {}
    for path in sorted((ROOT / "tests" / "data" / "fleets").glob("k1*.yaml")):
        for fleet in read_fleets(path.read_bytes(), name=path.name):
            (recipe,) = resolve(fleet)
            example = network_page.example(path.read_text("utf-8"), recipe)
            examples.setdefault(recipe.network.plugin, []).append(example)
    for plugin, found in sorted(examples.items()):
        yield ROOT / "docs" / "networks" / f"{plugin}.md", network_page.page(plugin, found)


def troubleshooting_page() -> Iterator[tuple[Path, str]]:
    """Every cause that `transom doctor` looks for."""
    yield ROOT / "docs" / "troubleshooting.md", troubleshooting.page()


def checks_page() -> Iterator[tuple[Path, str]]:
    """What `transom verify run` checks."""
    yield ROOT / "docs" / "checks.md", check_page.page()


def userdata_page() -> Iterator[tuple[Path, str]]:
    """The list of traps below what people wrote about boot data."""
    path = ROOT / "docs" / "userdata.md"
    written, mark, _ = path.read_text(encoding="utf-8").partition(boot_page.MARK)
    yield path, f"{written}{mark}\n\n{boot_page.traps()}"


def changes_of_fields() -> Iterator[tuple[Path, str]]:
    """What a change of each key of the Fleet document does to running nodes."""
    folder = ROOT / "tests" / "data" / "fleets"
    sources = [(folder / f"{name}.yaml").read_bytes() for name in field_changes.BASES]
    found = field_changes.field_changes(FLEET, sources)
    rows = {path: {**encode(effect), "text": effect.text} for path, effect in sorted(found.items())}
    yield ROOT / "src/transom/spec/changes.json", json.dumps(rows, indent=1) + "\n"


def register_of_ids() -> Iterator[tuple[Path, str]]:
    """Every id that was ever printed: new ones are added, and none is ever taken out."""
    path = ROOT / "tests" / "data" / "ids.txt"
    there = path.read_text("utf-8").splitlines() if path.exists() else []
    found = {f"{item.kind} {item.id} {reason_of(item.id)}" for item in register()}
    yield path, "".join(f"{line}\n" for line in [*there, *sorted(found - {*there})])


# In order: later generators may read what earlier ones wrote.
GENERATORS = (
    compiled_facts,
    fleet_schema,
    document_schemas,
    schemas_page,
    fleet_page,
    golden_recipes,
    golden_addons,
    golden_images,
    golden_plans,
    pages_of_steps,
    rule_pages,
    differences_page,
    troubleshooting_page,
    network_pages,
    userdata_page,
    changes_of_fields,
    register_of_ids,
    checks_page,
)


def main() -> int:
    """Write or check, and say what was done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 on differences"
    )
    check = parser.parse_args().check
    stale = []
    for generator in GENERATORS:
        for path, text in generator():
            if path.exists() and path.read_bytes() == text.encode():
                continue
            stale.append(path.relative_to(ROOT))
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
    for path in stale:
        print(f"{'out of date' if check else 'written'}: {path}")
    if check and stale:
        print("run: python tools/generate.py", file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
