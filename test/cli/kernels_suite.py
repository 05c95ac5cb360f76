"""Known answers of the kernels in kernels/, each computed a second time here. python3 kernels_suite.py KEM"""

import hashlib
import json
import math
import os
import random
import struct
import unittest

import kem

MASK = 0xFFFFFFFF


def words(values):
    return struct.pack(f"<{len(values)}I", *values)


def unpack(data, form="I"):
    return list(struct.unpack(f"<{len(data) // 4}{form}", data))


def noise_words(count, seed):
    source = random.Random(seed)
    return [source.getrandbits(32) for _ in range(count)]


class Every(unittest.TestCase):
    def test_compiles_to_valid_spirv(self):
        files = sorted(f for f in os.listdir(kem.KERNELS) if f.endswith(".wgsl"))
        self.assertGreater(len(files), 10)
        for name in files:
            with self.subTest(name):
                path = os.path.join(kem.KERNELS, name)
                self.assertEqual(kem.call("check", path)[:2], (0, b""))
                code, out, err = kem.call("spirv", path)
                self.assertEqual(code, 0, err.decode())
                self.assertIn(b"OpEntryPoint GLCompute", out)

    def test_says_what_it_is(self):
        for name in sorted(f for f in os.listdir(kem.KERNELS) if f.endswith(".wgsl")):
            with self.subTest(name), open(os.path.join(kem.KERNELS, name)) as file:
                text = file.read()
                self.assertTrue(text.startswith("// SPDX-License-Identifier: MIT\n"))
                for part in ("// input ", "// output ", "// params ", "// call "):
                    self.assertIn(part, text)

    def test_index_names_existing_files(self):
        with open(os.path.join(kem.KERNELS, "index.json")) as file:
            index = json.load(file)
        self.assertEqual(len(index), 3)
        for txid in index:
            self.assertEqual(len(txid), 43)
            code, out, _ = kem.call("fetch", txid)
            self.assertEqual(code, 0)
            self.assertIn(b"@compute", out)


class Words(unittest.TestCase):
    def test_double(self):
        self.assertEqual(kem.run("btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg", bytes([1, 3, 5, 7])),
                         bytes([2, 6, 10, 14]))
        values = noise_words(70_001, 1)
        self.assertEqual(unpack(kem.run("double-integer.wgsl", words(values))), [2 * v & MASK for v in values])

    def test_double_leaves_words_past_the_input_zero(self):
        self.assertEqual(unpack(kem.run("double-integer.wgsl", words([1, 2]), "--hint", "3")), [2, 4, 0, 0, 0, 0])

    def test_double_pads_an_input_that_is_no_multiple_of_four(self):
        for length in range(1, 8):
            data = bytes(range(1, length + 1))
            padded = data + bytes(-length % 4)
            expected = words([2 * v & MASK for v in unpack(padded)])[:length]
            self.assertEqual(kem.run("double-integer.wgsl", data), expected)

    def test_reduce_sum(self):
        for count in (1, 255, 256, 257, 10_000):
            values = noise_words(count, count)
            expected = [sum(values) & MASK] + [0] * (count - 1)
            self.assertEqual(unpack(kem.run("reduce-sum.wgsl", words(values))), expected)
            self.assertEqual(unpack(kem.run("reduce-sum.wgsl", words(values), "--output-bytes", "4")), expected[:1])

    def test_prefix_sum(self):
        for count in (1, 2, 1023, 1024, 1025, 5_000):
            values, sums, total = noise_words(count, count), [], 0
            for value in values:
                total = total + value & MASK
                sums.append(total)
            self.assertEqual(unpack(kem.run("prefix-sum.wgsl", words(values))), sums)

    def test_histogram(self):
        data = random.Random(3).randbytes(20_000)
        expected = [data.count(value) for value in range(256)]
        for groups in ("1", "7"):
            out = kem.run("histogram.wgsl", data, "--output-bytes", "1024", "--dispatch", groups)
            self.assertEqual(unpack(out), expected)

    def test_sha256(self):
        messages = [random.Random(i).randbytes(64) for i in range(100)]
        out = kem.run("sha256.wgsl", b"".join(messages), "--output-bytes", str(32 * len(messages)))
        self.assertEqual(out, b"".join(hashlib.sha256(m).digest() for m in messages))


class Numbers(unittest.TestCase):
    def test_matmul(self):
        rows, columns, depth = 20, 35, 17
        source = random.Random(4)
        a = [source.randrange(-9, 10) for _ in range(rows * depth)]
        b = [source.randrange(-9, 10) for _ in range(depth * columns)]
        out = kem.run("matmul.wgsl", struct.pack(f"<{len(a) + len(b)}f", *a, *b),
                      "--params", f"{columns},{rows},{depth},0")
        expected = [sum(a[r * depth + k] * b[k * columns + c] for k in range(depth))
                    for r in range(rows) for c in range(columns)]
        rest = [0.0] * (len(a) + len(b) - len(expected))
        self.assertEqual(unpack(out, "f"), [float(v) for v in expected] + rest)

    def test_nbody(self):
        source = random.Random(5)
        count, step, soft = 300, 0.125, 0.25
        bodies = [[source.uniform(-1, 1) for _ in range(3)] + [source.uniform(0.1, 1)] +
                  [source.uniform(-1, 1) for _ in range(3)] + [0.0] for _ in range(count)]
        data = struct.pack(f"<{8 * count}f", *(v for body in bodies for v in body))
        out = unpack(kem.run("nbody.wgsl", data, "--const", f"time_step={step}", "--const", f"softening={soft}"), "f")
        for index in range(0, count, 37):
            body = bodies[index]
            pull = [0.0] * 3
            for other in bodies:
                apart = [other[i] - body[i] for i in range(3)]
                weight = other[3] / math.sqrt(sum(d * d for d in apart) + soft * soft) ** 3
                pull = [pull[i] + weight * apart[i] for i in range(3)]
            velocity = [body[4 + i] + step * pull[i] for i in range(3)]
            expected = [body[i] + step * velocity[i] for i in range(3)] + [body[3]] + velocity
            for got, want in zip(out[8 * index:8 * index + 7], expected):
                self.assertAlmostEqual(got, want, delta=1e-3 * max(1, abs(want)))

    def test_mandelbrot(self):
        width, height, limit = 70, 50, 64
        out = unpack(kem.run("mandelbrot.wgsl", bytes(4 * width * height), "--params", f"{width},{height},{limit},0"))
        inside = 0
        for y in range(0, height, 3):
            for x in range(0, width, 3):
                c = complex(-0.75 + 3 / width * (x + 0.5 - width / 2), 3 / width * (y + 0.5 - height / 2))
                z, n = 0j, 0
                while n < 4 * limit and abs(z) <= 2:
                    z, n = z * z + c, n + 1
                if limit // 2 < n < 4 * limit:
                    continue  # so near the edge that rounding may decide
                inside += n == 4 * limit
                self.assertEqual(out[y * width + x] == 0xFF000000, n == 4 * limit, (x, y, n))
        self.assertGreater(inside, 20)

    def test_mandelbrot_takes_the_view_from_the_input(self):
        data = struct.pack("<3f", 5, 5, 0.5) + bytes(4 * 16 * 16 - 12)
        out = unpack(kem.run("mandelbrot.wgsl", data, "--params", "16,16,64,0"))
        self.assertNotIn(0xFF000000, out)


def split(pixel):
    return [pixel >> shift & 255 for shift in (0, 8, 16, 24)]


def pixelized(pixels, width, height, block):
    out = [0] * (width * height)
    for top in range(0, height, block):
        for left in range(0, width, block):
            inside = [y * width + x for y in range(top, min(top + block, height))
                      for x in range(left, min(left + block, width))]
            mean = [sum(split(pixels[i])[c] for i in inside) // len(inside) for c in range(4)]
            for i in inside:
                out[i] = sum(v << 8 * c for c, v in enumerate(mean))
    return out


def mixed(word):
    state = (word * 747796405 + 2891336453) & MASK
    folded = ((state >> ((state >> 28) + 4)) ^ state) * 277803737 & MASK
    return (folded >> 22) ^ folded


def glitched(pixels, width, height, block):
    def noise(x, y, salt):
        return mixed(x ^ mixed(y ^ mixed(salt)))

    def pick(word, count):
        return (word >> 8) % max(count, 1)

    def pixel(x, y):
        return pixels[y % height * width + x % width]

    def source(x, y):
        word = noise(0, y // (block * 3), 1)
        if word & 255 < 70:
            x += pick(word, width)
        for level in range(4):
            edge = block << 3 - level
            word = noise(x // edge, y // edge, 2 + level)
            if word & 255 < 24 + 12 * level:
                return pick(word, width) + x % edge, pick(mixed(word), height) + y % edge
        return x, y

    out = []
    for y in range(height):
        for x in range(width):
            sx, sy = source(x, y)
            colour = pixel(sx, sy)
            word = noise(x // (block * 6), y // block, 7)
            if word & 255 < 60:
                reach = 1 + pick(word, block)
                red, blue = pixel(sx + width - min(reach, width), sy), pixel(sx + reach, sy)
                colour = colour & 0xFF00FF00 | red & 0xFF | blue & 0xFF0000
            if noise(x, y, 8) & 255 < 1:
                colour ^= 0x00FFFFFF
            out.append(colour)
    return out


class Pictures(unittest.TestCase):
    SIZES = ((1, 1), (16, 16), (37, 21), (50, 70))

    def test_pixelize(self):
        for width, height in self.SIZES:
            pixels = noise_words(width * height, width)
            for block in (0, 1, 2, 5, 15, 16, 17, 24, 33, 64, 1000, 4_294_967_295):
                with self.subTest(width=width, height=height, block=block):
                    out = kem.run("pixelize.wgsl", words(pixels), "--params", f"{width},{height},{block},0")
                    self.assertEqual(unpack(out), pixelized(pixels, width, height, max(block, 1)))

    def test_glitch(self):
        for width, height in self.SIZES:
            pixels = noise_words(width * height, width)
            for block in (1, 3, 16, 100):
                with self.subTest(width=width, height=height, block=block):
                    out = kem.run("glitch.wgsl", words(pixels), "--params", f"{width},{height},{block},0")
                    self.assertEqual(unpack(out), glitched(pixels, width, height, block))

    def test_glitch_takes_a_block_of_zero_for_sixteen(self):
        pixels = words(noise_words(40 * 30, 6))
        self.assertEqual(kem.run("glitch.wgsl", pixels, "--params", "40,30,0,0"),
                         kem.run("glitch.wgsl", pixels, "--params", "40,30,16,0"))

    def test_sizes_that_are_not_the_inputs_harm_nothing(self):
        for kernel in ("glitch.wgsl", "pixelize.wgsl", "mandelbrot.wgsl", "landscape.wgsl"):
            for params in ("0,0,4,0", "100,100,4,0", "5,1,70,0"):
                with self.subTest(kernel=kernel, params=params):
                    out = kem.run(kernel, words(noise_words(64, 7)), "--params", params, "--dispatch", "7,7")
                    self.assertEqual(len(out), 256)

    def test_landscape(self):
        width, height = 96, 64
        out = unpack(kem.run("landscape.wgsl", bytes(4 * width * height), "--params", f"{width},{height},7,0"))
        self.assertTrue(all(pixel >> 24 == 255 for pixel in out))
        self.assertGreater(len(set(out)), 1000)
        brightness = [sum(split(pixel)[:3]) for pixel in out]
        sun = brightness[int(0.24 * height) * width + int(0.68 * width)]
        self.assertGreater(sun, 600)
        self.assertLess(sum(brightness[-width:]) / width, 350)


if __name__ == "__main__":
    kem.main("__main__")
