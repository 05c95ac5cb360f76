--- An ao process that keeps numbers and has a kernel do its work. Needs lua/kem.lua before it.
---
--- Every message doubles the process's numbers, which are 1, 3, 5, 7 at first, or has the kernel of its `kernel-id` do
--- with them what it does; one with the action Add puts a number of its own to them first. `process.numbers` is the
--- state, `process.results.output` the answer.

local function work(numbers, kernel)
    if not kernel then
        return kem.double(numbers)
    end
    local output, why = kem.run({ kernel_id = kernel, input = kem.pack_u32(numbers) })
    return output and kem.unpack_u32(output), why
end

function compute(process, message, opts)
    local numbers = { table.unpack(process.numbers or { 1, 3, 5, 7 }) }
    local body = message.body or {}
    if body.action == "Add" then
        numbers[#numbers + 1] = math.tointeger(body.number) or 0
    end
    local result, why = work(numbers, body["kernel-id"])
    if result then
        process.numbers = result
        process.results = { output = { data = table.concat(result, ","), body = result }, outbox = {} }
    else
        -- A call that fails is an answer, not the end of the process: its numbers stay what they were.
        process.results = { output = { data = "error: " .. why }, outbox = {} }
    end
    return process
end

--- What the suite asks for, one function each: they take no process.

function bare_call()
    local status, response = ao.resolve({
        device = "kem@1.0",
        path = "execute_kernel",
        method = "POST",
        body = '{"kernel_id":"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg","input_data":[1,3,5,7],"output_size_hint":1}'
    })
    return "ok", { status = status, bytes = { string.byte(response.body, 1, -1) } }
end

function list_call()
    local output = kem.run({ kernel_id = kem.DOUBLE, input = { 1, 3, 5, 7 }, encoding = "list" })
    return "ok", { bytes = output }
end

function failing_call()
    local output, message, status, class = kem.run({ kernel_id = "nonsense", input = "1234" })
    return "ok", { output = tostring(output), message = message, status = status, class = class }
end

function numbers()
    local floats = kem.unpack_f32(kem.pack_f32({ 1, -2.5, 0.1, 1e-40, 1e30, 0 }))
    return "ok", {
        words = kem.unpack_u32(kem.pack_u32({ 0, 1, 4294967295, 305419896 })),
        signed = kem.unpack_i32(kem.pack_u32({ -1, -2147483648, 7 })),
        bits = kem.f32_words({ 1, -2.5, 0.1, 1e-40, 1e39, 16777217 }),
        exact = tostring(floats[1] == 1 and floats[2] == -2.5 and floats[6] == 0 and math.abs(floats[3] - 0.1) < 1e-8)
    }
end
