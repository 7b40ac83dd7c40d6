"""The draws of `wordpl.core.seeds` in compiled code: BLAKE2b with a key (RFC 7693), for messages of one block."""

import numpy as np

from wordpl.kernels.compiled import Int, bound_kernel, step

START = np.array([
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
], np.uint64)  # fmt: skip
ORDER = np.array([
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
], np.uint8)  # fmt: skip
BLOCK, DIGEST = 128, 64


@step
def mix(a: Int, b: Int, c: Int, d: Int, x: Int, y: Int) -> tuple[Int, Int, Int, Int]:
    """Return four words after the mixing function G, with two words of the message."""
    a = a + b + x
    d ^= a
    d = (d >> np.uint64(32)) | (d << np.uint64(32))
    c = c + d
    b ^= c
    b = (b >> np.uint64(24)) | (b << np.uint64(40))
    a = a + b + y
    d ^= a
    d = (d >> np.uint64(16)) | (d << np.uint64(48))
    c = c + d
    b ^= c
    b = (b >> np.uint64(63)) | (b << np.uint64(1))
    return a, b, c, d


@bound_kernel
def compress(state: np.ndarray, words: np.ndarray, n_bytes: int, is_last: bool) -> None:
    """Mix a block of 16 words into the state, uint64[8], of which `n_bytes` were hashed with it."""
    a, b, c, d, e, f, g, h = state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]
    i, j, k, m, n, o, p, q = START[0], START[1], START[2], START[3], START[4], START[5], START[6], START[7]
    n ^= np.uint64(n_bytes)
    if is_last:
        p = ~p
    for turn in range(12):
        row = ORDER[turn]
        a, e, i, n = mix(a, e, i, n, words[row[0]], words[row[1]])
        b, f, j, o = mix(b, f, j, o, words[row[2]], words[row[3]])
        c, g, k, p = mix(c, g, k, p, words[row[4]], words[row[5]])
        d, h, m, q = mix(d, h, m, q, words[row[6]], words[row[7]])
        a, f, k, q = mix(a, f, k, q, words[row[8]], words[row[9]])
        b, g, m, n = mix(b, g, m, n, words[row[10]], words[row[11]])
        c, h, i, o = mix(c, h, i, o, words[row[12]], words[row[13]])
        d, e, j, p = mix(d, e, j, p, words[row[14]], words[row[15]])
    state[0] ^= a ^ i
    state[1] ^= b ^ j
    state[2] ^= c ^ k
    state[3] ^= d ^ m
    state[4] ^= e ^ n
    state[5] ^= f ^ o
    state[6] ^= g ^ p
    state[7] ^= h ^ q


@bound_kernel
def write_number(block: np.ndarray, place: int, number: int) -> int:
    """Write a number of at least 0 in decimal digits, and return the place after it."""
    n_digits, rest = 1, number // 10
    while rest > 0:
        n_digits, rest = n_digits + 1, rest // 10
    rest = number
    for digit in range(n_digits - 1, -1, -1):
        block[place + digit] = 48 + rest % 10
        rest //= 10
    return place + n_digits


@bound_kernel
def fill_keyed(key: np.ndarray, n_bytes: int, state: np.ndarray) -> None:
    """Write the state after a key, of which `n_bytes` of its words, uint64[8], are used."""
    words = np.zeros(16, np.uint64)
    for place in range(8):
        state[place], words[place] = START[place], key[place]
    state[0] ^= np.uint64(0x01010000) ^ (np.uint64(n_bytes) << np.uint64(8)) ^ np.uint64(DIGEST)
    compress(state, words, BLOCK, False)


@bound_kernel
def fill_draw(keyed: np.ndarray, purpose: np.ndarray, game: int, turn: int, block: np.ndarray, out: np.ndarray) -> None:
    """Write what `seeds.draw` returns into `out`, uint64[8], whose bytes begin with the least significant one.

    Args:
        keyed: The state after the key, see `fill_keyed`.
        purpose: The purpose, uint8[n].
        game, turn: The game and the round.
        block: Space for a message, uint8[BLOCK].
        out: The output.
    """
    for place in range(8):
        out[place] = keyed[place]
    for place in range(BLOCK):
        block[place] = 0
    end = len(purpose)
    for place in range(end):
        block[place] = purpose[place]
    block[end] = 47  # a slash
    end = write_number(block, end + 1, game)
    block[end] = 47
    end = write_number(block, end + 1, turn)
    compress(out, block.view(np.uint64), BLOCK + end, True)


@bound_kernel
def byte_of(digest: np.ndarray, place: int) -> Int:
    """Return a byte of a digest, uint64[8]."""
    return np.int64((digest[place >> 3] >> np.uint64(8 * (place & 7))) & np.uint64(255))


@bound_kernel
def remainder(digest: np.ndarray, n: int) -> Int:
    """Return the first 16 bytes of a digest, as a number whose most significant byte is the first, modulo n < 2^31."""
    rest = 0
    for place in range(0, 16, 4):
        number = 0
        for byte in range(place, place + 4):
            number = 256 * number + byte_of(digest, byte)
        rest = ((rest << 32) + number) % n
    return rest
