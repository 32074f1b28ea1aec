"""The assignment that the cases damage: two notebooks, seven automatic points, four given by a person."""

from pathlib import Path

from tests.builder import answer, check, given, notebook, prose, task, write_source, written

ASSIGNMENT = "shapes"

AREA = '''
def area(width, height):
    """Area of a rectangle · 矩形面积."""
    ### BEGIN SOLUTION
    return width * height
    ### END SOLUTION
'''
AREA_TEST = """
assert area(2, 3) == 6
### BEGIN HIDDEN TESTS
assert area(0.5, 4) == 2
### END HIDDEN TESTS
"""
AREA_KIND_TEST = 'assert kind(area(1, 1)) == "small"'
KIND = """
def kind(size):
    return "small" if size < LIMIT else "large"
"""
TOTAL = """
### BEGIN SOLUTION
sides = [(1, 2), (3, 4)]
total = sum(area(w, h) for w, h in sides)
LIMIT = 100
### END SOLUTION
"""
TOTAL_TEST = """
assert total == 14
assert len(sides) == 2
"""
GREET = """
def greet(name):
    # 返回问候语 · return the greeting
    ### BEGIN SOLUTION
    return f"你好，{name}！"
    ### END SOLUTION
"""
GREET_TEST = 'assert greet("Ada") == "你好，Ada！"'

# What an honest student writes into the answer cells.
ANSWERS = {
    "area": 'def area(width, height):\n    """Area of a rectangle · 矩形面积."""\n    return width * height',
    "total": "sides = [(1, 2), (3, 4)]\ntotal = 0\nfor w, h in sides:\n    total += area(w, h)",
    "why": "Because a rectangle is rows of unit squares · 因为矩形是一行行单位正方形。",
    "greet": 'def greet(name):\n    # 返回问候语 · return the greeting\n    return "你好，" + name + "！"',
}
TESTS = {"area-test": 2.0, "area-kind-test": 1.0, "total-test": 2.0, "greet-test": 2.0}


def write_course(root: Path) -> Path:
    """Write the course's ``source/`` and return its folder."""
    shapes = notebook(
        [
            prose("title", "# Shapes · 图形\nFill in the TODO cells."),
            given("setup", "import math\nfrom pathlib import Path\n\nLIMIT = 10"),
            prose("about-area", "The area of a rectangle is its width times its height."),
            answer("area", AREA),
            given("demo", "try:\n    print(area(2, 3))\nexcept NotImplementedError:\n    print('TODO')"),
            check("area-test", 2, AREA_TEST),
            given("kind", KIND, locked=True),
            check("area-kind-test", 1, AREA_KIND_TEST),
            prose("about-total", "Now add up the areas of the sides (1, 2) and (3, 4)."),
            answer("total", TOTAL),
            check("total-test", 2, TOTAL_TEST),
            written("why", 3, "Why is the area a product?"),
            task("draw", 1, "Draw a rectangle in cells of your own."),
        ]
    )
    words = notebook(
        [
            prose("words-title", "# Words · 词"),
            given("setup", "import math\nPUNCTUATION = '！'"),
            answer("greet", GREET),
            check("greet-test", 2, GREET_TEST),
        ]
    )
    return write_source(root, ASSIGNMENT, {"shapes": shapes, "words": words}, {"data.csv": b"a,b\n1,2\n"})
