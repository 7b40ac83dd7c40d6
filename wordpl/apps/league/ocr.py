"""Optical character recognition with tesserocr if it is installed, or with rapidocr, which pip alone can install.

Each picture is preprocessed in four ways, one after the other, until the caller finds a plausible puzzle number. Small
print and coloured tiles occasionally defeat one way, but rarely all four.
"""

import os
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.apps.league.sources import PictureReader
from wordpl.core.messages import UserError

if TYPE_CHECKING:
    from PIL.Image import Image

ENGLISH_MODEL = "eng.traineddata"
TESSDATA_FOLDERS = ("/usr/share/tesseract-ocr/*/tessdata", "/usr/share/tessdata", "/opt/homebrew/share/tessdata")
MAX_PIXELS = 4_000_000
MIDDLE_GREY = 128
N_EXTREME_LEVELS = 50
"""How many grey levels count as nearly black, and as nearly white."""
MIN_LINE_ASPECT = 3
"""Ratio of width to height from which the ink in a picture is taken for a single line of text."""
Reader = Callable[["Image"], str]


def picture_reader(wanted: bool | None = None) -> PictureReader:
    """Return a function that yields the texts found in a picture, given its bytes.

    Args:
        wanted: True requires an OCR library, False disables OCR, None uses a library if one is installed.

    Raises:
        UserError: OCR is required, and no library is installed.
    """
    reader = find_reader() if wanted is not False else None
    if reader is None:
        if wanted:
            raise UserError(
                'reading pictures needs tesserocr and Debian\'s tesseract-ocr-eng: pip install "wordpl[ocr]", '
                'or rapidocr alone: pip install "wordpl[ocr-pip]".'
            )
        return lambda data: ()
    return lambda data: read_texts(data, reader)


def read_texts(data: bytes, read: Reader) -> Iterator[str]:
    """Yield the text found in a picture after each way of preprocessing it.

    Args:
        data: The bytes of the picture. Other data and pictures above MAX_PIXELS yield nothing.
        read: The OCR function.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(BytesIO(data)) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                return
            picture = _grayscale(opened)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return
    for prepare in (_title_area, _binary_title_area, _enlarged_picture, _local_contrast):
        yield read(prepare(picture))


def _grayscale(picture: "Image") -> "Image":
    """Return the picture in grey on an opaque background: black if most of the ink is nearly white, else white."""
    from PIL import Image

    drawn = picture.convert("RGBA")
    grey, opacity = drawn.convert("L"), drawn.getchannel("A")
    counts = grey.histogram(opacity.point(lambda level: 255 * (level > MIDDLE_GREY)))
    ground = 0 if sum(counts[-N_EXTREME_LEVELS:]) > sum(counts[:N_EXTREME_LEVELS]) else 255
    return Image.composite(grey, Image.new("L", grey.size, ground), opacity)


def _title_area(picture: "Image") -> "Image":
    """Return the part above the tiles, which contains the puzzle number."""
    return _dark_on_light(_enlarge(picture.crop((0, 0, picture.width, picture.height // 3)), 3))


def _binary_title_area(picture: "Image") -> "Image":
    """Return the title area in black and white, at Otsu's threshold (1979), which maximizes between-class variance."""
    import numpy as np

    top = _title_area(picture)
    counts, levels = np.array(top.histogram(), float), np.arange(256)
    below, sums = counts.cumsum(), (counts * levels).cumsum()
    above = below[-1] - below
    with np.errstate(divide="ignore", invalid="ignore"):
        between = below * above * (sums / below - (sums[-1] - sums) / above) ** 2
    threshold = int(np.nan_to_num(between).argmax())
    return top.point(lambda level: 255 * (level > threshold))


def _enlarged_picture(picture: "Image") -> "Image":
    return _dark_on_light(_enlarge(picture, 2))


def _local_contrast(picture: "Image") -> "Image":
    """Return the picture's local contrast: what is darker or lighter than its surroundings."""
    from PIL import ImageChops, ImageFilter, ImageOps

    large = _enlarge(picture, 3)
    blurred = large.filter(ImageFilter.GaussianBlur(20))
    return ImageOps.invert(ImageOps.autocontrast(ImageChops.difference(large, blurred), cutoff=1))


def _enlarge(picture: "Image", times: int) -> "Image":
    from PIL import Image

    return picture.resize((picture.width * times, picture.height * times), Image.Resampling.LANCZOS)


def _dark_on_light(picture: "Image") -> "Image":
    from PIL import ImageOps, ImageStat

    stretched = ImageOps.autocontrast(picture, cutoff=1)
    return ImageOps.invert(stretched) if ImageStat.Stat(stretched).median[0] < MIDDLE_GREY else stretched


@cache
def find_reader() -> Reader | None:
    """Return the OCR function of the library that is installed, or None if there is no such library."""
    return _tesseract() or _rapid()


def _tesseract() -> Reader | None:
    try:
        import tesserocr
    except ImportError:
        return None
    places = [
        os.environ.get("TESSDATA_PREFIX", ""),
        *(str(place) for folder in TESSDATA_FOLDERS for place in _matching(folder)),
    ]
    folder = next((place for place in places if place and Path(place, ENGLISH_MODEL).is_file()), None)
    if folder is None:
        return None
    api = tesserocr.PyTessBaseAPI(path=folder, psm=tesserocr.PSM.SPARSE_TEXT)

    def read(picture: "Image") -> str:
        api.SetImage(picture)
        return str(api.GetUTF8Text())

    return read


def _matching(folder: str) -> list[Path]:
    path = Path(folder)
    return sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))


def _rapid() -> Reader | None:
    try:
        from rapidocr import RapidOCR
    except ImportError:
        return None
    import numpy as np
    from PIL import ImageOps

    engine = RapidOCR(params={"Global.log_level": "error"})

    def read(picture: "Image") -> str:
        ink = ImageOps.invert(picture).point(lambda level: 255 * (level > MIDDLE_GREY)).getbbox()
        left, top, right, bottom = ink or (0, 0, 1, 1)
        # A line needs no text detection, the most expensive step.
        is_line = right - left > MIN_LINE_ASPECT * (bottom - top)
        margin = (bottom - top) // 4
        cut = picture.crop((left - margin, top - margin, right + margin, bottom + margin)) if is_line else picture
        reading = engine(np.asarray(cut.convert("RGB")), use_det=not is_line, use_cls=False, use_rec=True)
        return "\n".join(reading.txts or ())

    return read
