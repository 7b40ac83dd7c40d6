"""Text in pictures: tesserocr where it is installed, else rapidocr, which needs nothing but pip.

A picture is prepared in four ways, one after the other, until one gives a plausible number: small print and coloured
tiles defeat each of them now and then, hardly ever all.
"""

import os
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.core.errors import UserError
from wordpl.league.discord_export import PictureReader

if TYPE_CHECKING:
    from PIL.Image import Image

ENGLISH = "eng.traineddata"
FOLDERS = ("/usr/share/tesseract-ocr/*/tessdata", "/usr/share/tessdata", "/opt/homebrew/share/tessdata")
MOST_PIXELS = 4_000_000
HALF = 128
BAND = 50
LINE = 3
Reader = Callable[["Image"], str]


def picture_reader(wanted: bool | None = None) -> PictureReader:
    """Return what reads the texts of a picture's bytes.

    wanted: raise UserError where no library is installed; None does without it then, False never reads pictures.
    """
    found = reader() if wanted is not False else None
    if found is None:
        if wanted:
            raise UserError(
                'reading pictures needs tesserocr and Debian\'s tesseract-ocr-eng: pip install "wordpl[ocr]", '
                'or rapidocr alone: pip install "wordpl[ocr-pip]".'
            )
        return lambda data: ()
    return lambda data: texts(data, found)


def texts(data: bytes, read: Reader) -> Iterator[str]:
    """Yield what the reader sees in the picture, once for each way to prepare it; nothing if it is no picture."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(BytesIO(data)) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                return
            picture = _flat(opened)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return
    for prepare in (_top, _top_halved, _whole, _edges):
        yield read(prepare(picture))


def _flat(picture: "Image") -> "Image":
    """Return the picture in grey, without transparency: what is nearly white was drawn for a dark ground."""
    from PIL import Image

    drawn = picture.convert("RGBA")
    grey, opacity = drawn.convert("L"), drawn.getchannel("A")
    counts = grey.histogram(opacity.point(lambda level: 255 * (level > HALF)))
    ground = 0 if sum(counts[-BAND:]) > sum(counts[:BAND]) else 255
    return Image.composite(grey, Image.new("L", grey.size, ground), opacity)


def _top(picture: "Image") -> "Image":
    """Return the part above the tiles, where the number stands."""
    return _dark_on_light(_larger(picture.crop((0, 0, picture.width, picture.height // 3)), 3))


def _top_halved(picture: "Image") -> "Image":
    """Return that part in black and white, at the threshold with the least variance on its two sides (Otsu, 1979)."""
    import numpy as np

    top = _top(picture)
    counts, levels = np.array(top.histogram(), float), np.arange(256)
    below, sums = counts.cumsum(), (counts * levels).cumsum()
    above = below[-1] - below
    with np.errstate(divide="ignore", invalid="ignore"):
        between = below * above * (sums / below - (sums[-1] - sums) / above) ** 2
    threshold = int(np.nan_to_num(between).argmax())
    return top.point(lambda level: 255 * (level > threshold))


def _whole(picture: "Image") -> "Image":
    return _dark_on_light(_larger(picture, 2))


def _edges(picture: "Image") -> "Image":
    """Return what differs from its surroundings, whether darker or lighter."""
    from PIL import ImageChops, ImageFilter, ImageOps

    large = _larger(picture, 3)
    blurred = large.filter(ImageFilter.GaussianBlur(20))
    return ImageOps.invert(ImageOps.autocontrast(ImageChops.difference(large, blurred), cutoff=1))


def _larger(picture: "Image", times: int) -> "Image":
    from PIL import Image

    return picture.resize((picture.width * times, picture.height * times), Image.Resampling.LANCZOS)


def _dark_on_light(picture: "Image") -> "Image":
    from PIL import ImageOps, ImageStat

    stretched = ImageOps.autocontrast(picture, cutoff=1)
    return ImageOps.invert(stretched) if ImageStat.Stat(stretched).median[0] < HALF else stretched


@cache
def reader() -> Reader | None:
    """Return what reads one picture with the library that is installed; None where none is."""
    return _tesseract() or _rapid()


def _tesseract() -> Reader | None:
    try:
        import tesserocr
    except ImportError:
        return None
    places = [os.environ.get("TESSDATA_PREFIX", ""), *(str(one) for folder in FOLDERS for one in _matching(folder))]
    folder = next((one for one in places if one and Path(one, ENGLISH).is_file()), None)
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
        ink = ImageOps.invert(picture).point(lambda level: 255 * (level > HALF)).getbbox()
        left, top, right, bottom = ink or (0, 0, 1, 1)
        is_line = right - left > LINE * (bottom - top)  # then nothing has to be looked for, which is most of the work
        margin = (bottom - top) // 4
        cut = picture.crop((left - margin, top - margin, right + margin, bottom + margin)) if is_line else picture
        found = engine(np.asarray(cut.convert("RGB")), use_det=not is_line, use_cls=False, use_rec=True)
        return "\n".join(found.txts or ())

    return read
