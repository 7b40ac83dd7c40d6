"""What a page shows before anybody scrolls, and what axe-core finds on it."""

from tests.helpers.browsing import find_axe, open_page

SCREENS = [(1280, 800), (390, 844), (375, 667)]
ANSWERS = {
    "who leads": ".card .leader, .card h3",
    "by how much": ".card .why",
    "how sure": ".card .pill",
    "what changed": ".news li",
    "what can I do next": ".next pre",
}
UNSEEN = """(answers) => Object.entries(answers).filter(([, selector]) => {
  const isSeen = (one) => {
    const box = one.getBoundingClientRect();
    if (!one.textContent.trim() || box.width < 20 || box.top < 0 || box.bottom > innerHeight) return false;
    const [x, y] = [box.left + Math.min(20, box.width / 2), box.top + box.height / 2];
    const top = document.elementFromPoint(x, y);
    return top !== null && (one.contains(top) || top.contains(one)) && box.right <= innerWidth + 1;
  };
  return ![...document.querySelectorAll(selector)].some(isSeen);
}).map(([question]) => question)"""


def unanswered(file, width, height, answers=None):
    """Return the questions that the first screen of a page leaves open, and whether it scrolls sideways."""
    with open_page(file, viewport={"width": width, "height": height}) as (page, problems):
        assert problems == []
        found = page.evaluate(UNSEEN, answers or ANSWERS)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"it scrolls sideways at {width} px")
        return found


def axe_violations(file, scheme, **context):
    """Return what axe-core finds on a page, with all of its folded parts open."""
    axe = find_axe()
    with open_page(file, color_scheme=scheme, bypass_csp=True, **context) as (page, _):
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.add_script_tag(path=axe)
        violations = page.evaluate("axe.run()")["violations"]
    return [(one["id"], [node["html"][:160] for node in one["nodes"][:3]]) for one in violations]
