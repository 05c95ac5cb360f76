--- Kernels for ao processes: calls to the device kem@1.0, and arrays of numbers as the bytes that kernels see.
--- A process takes it as one of its Lua modules, before its own:
---
---     module = { <this file>, <the process> }
---
--- Nothing here raises an error: where a call fails, the result is nil and then a text.

kem = {}

--- The kernel that doubles u32 words.
kem.DOUBLE = "btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg"

local function failure(response)
    if type(response) ~= "table" then
        return nil, tostring(response)
    end
    return nil, tostring(response.body), response.status, response["error-class"]
end

--- Runs a kernel.
-- @param call  a table: `kernel_id` (or `kernel`, WGSL, where the node's operator lets callers send it), `input` (a
--              string of bytes, or a list of byte values) and any other argument of the device's key `run`: `params`,
--              `output_size`, `output_size_hint`, `dispatch`, `entry_point`, `constants`, `timeout`, `encoding`.
-- @return the output, a string of bytes (a list with `encoding = "list"`), and the whole response;
--         or nil, a text, a status and the error's class
function kem.run(call)
    local request = { path = "run", method = "POST" }
    for key, value in pairs(call) do
        request[key] = value
    end
    local status, response = ao.resolve({ device = "kem@1.0" }, request)
    if status ~= "ok" or type(response) ~= "table" then
        return failure(response)
    end
    return response.body, response
end

--- Twice every number of a list of u32.
-- @return a list, or nil and a text
function kem.double(words)
    local output, message = kem.run({ kernel_id = kem.DOUBLE, input = kem.pack_u32(words) })
    if not output then
        return nil, message
    end
    return kem.unpack_u32(output)
end

--- Whole numbers from -2^31 to 2^32 - 1 as little-endian words of 4 bytes.
-- @return a string of bytes
function kem.pack_u32(words)
    local pieces = {}
    for i, word in ipairs(words) do
        word = word // 1 | 0
        pieces[i] = string.char(word & 255, (word >> 8) & 255, (word >> 16) & 255, (word >> 24) & 255)
    end
    return table.concat(pieces)
end

--- The words of a string of bytes as u32; up to three bytes at its end are left out.
-- @return a list of whole numbers
function kem.unpack_u32(bytes)
    local words = {}
    for i = 1, #bytes - 3, 4 do
        local a, b, c, d = string.byte(bytes, i, i + 3)
        words[#words + 1] = a | (b << 8) | (c << 16) | (d << 24)
    end
    return words
end

--- The same as i32.
function kem.unpack_i32(bytes)
    local words = kem.unpack_u32(bytes)
    for i, word in ipairs(words) do
        if word >= 0x80000000 then
            words[i] = word - 0x100000000
        end
    end
    return words
end

-- The bits of a number rounded to the nearest f32, ties to even; what is too large is infinity.
local function f32_bits(x)
    local sign = 0
    if x < 0 then
        sign, x = 0x80000000, -x
    end
    if x == 0 then
        return sign
    end
    local exponent = 0
    while x >= 4294967296 do
        x, exponent = x / 4294967296, exponent + 32
    end
    while x >= 2 do
        x, exponent = x / 2, exponent + 1
    end
    while x < 1 and exponent > -126 do
        x, exponent = x * 2, exponent - 1
    end
    local scaled = x * 8388608
    local mantissa = math.floor(scaled)
    local rest = scaled - mantissa
    if rest > 0.5 or (rest == 0.5 and mantissa % 2 == 1) then
        mantissa = mantissa + 1
    end
    -- A mantissa below 2^23 is a subnormal number's; one of 2^24 carries into the exponent.
    local bits = mantissa
    if mantissa >= 8388608 then
        bits = (exponent + 127) * 8388608 + mantissa - 8388608
    end
    if bits > 0x7f800000 then
        bits = 0x7f800000
    end
    return sign + bits
end

local function f32_value(bits)
    local sign = 1.0
    if bits >= 0x80000000 then
        sign, bits = -1.0, bits - 0x80000000
    end
    local exponent, mantissa = bits >> 23, bits & 0x7fffff
    if exponent == 255 then
        if mantissa ~= 0 then
            return "nan"
        end
        return sign * math.huge
    end
    if exponent == 0 then
        return sign * mantissa * 2.0 ^ -149
    end
    return sign * (8388608 + mantissa) * 2.0 ^ (exponent - 150)
end

--- Numbers as little-endian f32.
-- @return a string of bytes
function kem.pack_f32(numbers)
    local words = {}
    for i, x in ipairs(numbers) do
        words[i] = f32_bits(x)
    end
    return kem.pack_u32(words)
end

--- The numbers of a string of bytes. The host's Lua has neither infinity nor NaN: they come as the largest number
--- that it has, and as the text "nan".
-- @return a list of numbers
function kem.unpack_f32(bytes)
    local numbers = kem.unpack_u32(bytes)
    for i, bits in ipairs(numbers) do
        numbers[i] = f32_value(bits)
    end
    return numbers
end

--- The words of numbers as f32, for a kernel's `params`, which are a list of u32.
function kem.f32_words(numbers)
    return kem.unpack_u32(kem.pack_f32(numbers))
end
