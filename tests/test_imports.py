"""The modules of the package import each other without circles."""

import grimp

import wordpl


def test_no_module_imports_itself_through_others():
    graph = grimp.build_graph(wordpl.__name__)  # with imports inside functions and those for types
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    while free := {module for module, found in imported.items() if not found & imported.keys()}:
        imported = {module: found for module, found in imported.items() if module not in free}
    while free := imported.keys() - {used for found in imported.values() for used in found}:
        imported = {module: found for module, found in imported.items() if module not in free}
    assert sorted(imported) == []
