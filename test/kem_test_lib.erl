%%% @doc What the suites share: a kernel store with good and bad kernels under known ids, child VMs, and the table
%%% of bad calls.
-module(kem_test_lib).

-export([start/0, patient/1, kernel/1, child/2, child/3, child/4, flush/0, directory/1, png/3]).
-export([bad_calls/0]).

%% Kernels of the repository's own store.
-define(DOUBLE, <<"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg">>).
-define(GLITCH, <<"GBPZsoX_NugmvImUVUn0loXeJbAb-U6QVgOWRWuYVIE">>).
-define(PIXELIZE, <<"K0YjS909xy9M5jUt8OfR_9pbNnWvCpmlGWgndoBNMt0">>).

%% @doc These tests, with so much time that only one that hangs runs out of it: EUnit gives a test five seconds, which
%% is little for one that starts a VM on a busy machine.
-spec patient([Test]) -> {timeout, pos_integer(), [{timeout, pos_integer(), Test}]}.
patient(Tests) ->
    {timeout, 7200, [{timeout, 600, Test} || Test <- lists:flatten(Tests)]}.

%% @doc Sets this VM's engine up for tests, once: a store of its own, an empty disk cache, no gateway.
-spec start() -> ok.
start() ->
    case kem_nif:running_nif() of
        true ->
            ok;
        false ->
            Directory = directory("suite"),
            ok = make_store(filename:join(Directory, "kernels")),
            true = os:putenv("KEM_KERNEL_STORE", filename:join(Directory, "kernels")),
            true = os:putenv("KEM_CACHE_DIR", filename:join(Directory, "cache")),
            true = os:putenv("KEM_GATEWAYS", ""),
            ok = kem:configure(#{})
    end.

%% @doc A fresh directory that is removed when this VM ends.
-spec directory(string()) -> file:filename().
directory(Name) ->
    Root = filename:join(["/tmp", "kem-tests-" ++ os:getpid()]),
    _ = case whereis(kem_test_directories) of
        undefined -> open_remover(Root);
        _ -> ok
    end,
    Directory = filename:join(Root, Name ++ "-" ++ integer_to_list(erlang:unique_integer([positive]))),
    ok = filelib:ensure_dir(filename:join(Directory, "file")),
    Directory.

%% A shell that waits for the end of its input, which this VM's end brings about however it comes. A VM that halts may
%% write to its cache a little longer.
open_remover(Root) ->
    Script = "cat; rm -rf \"$1\" 2>/dev/null || { sleep 1; rm -rf \"$1\"; }",
    Port = open_port({spawn_executable, "/bin/sh"}, [{args, ["-c", Script, "sh", Root]}]),
    true = register(kem_test_directories, Port).

%% @doc The id of a kernel of the suite's store.
-spec kernel(atom()) -> binary().
kernel(double) -> ?DOUBLE;
kernel(glitch) -> ?GLITCH;
kernel(pixelize) -> ?PIXELIZE;
kernel(Name) -> txid(atom_to_binary(Name)).

%% An id that depends on the name alone.
txid(Name) ->
    Bytes = <<(erlang:md5(Name))/binary, (erlang:md5([Name, "2"]))/binary>>,
    Padded = base64:encode(Bytes),
    Text = binary:part(Padded, 0, 43),
    binary:replace(binary:replace(Text, <<"+">>, <<"-">>, [global]), <<"/">>, <<"_">>, [global]).

make_store(Store) ->
    {ok, Index} = file:read_file(filename:join([repository(), "kernels", "index.json"])),
    Seeds = maps:to_list(hb_json:decode(Index)),
    ok = filelib:ensure_dir(filename:join(Store, "file")),
    [{ok, _} = file:copy(filename:join([repository(), "kernels", File]), filename:join(Store, File)) ||
        {_, File} <- Seeds],
    Own = [begin
        File = atom_to_binary(Name),
        ok = file:write_file(filename:join(Store, <<File/binary, ".wgsl">>), Source),
        {kernel(Name), <<File/binary, ".wgsl">>}
    end || {Name, Source} <- kernels()],
    file:write_file(filename:join(Store, "index.json"), hb_json:encode(maps:from_list(Seeds ++ Own))).

%% The directory above the one that holds this suite's source.
repository() ->
    Source = proplists:get_value(source, ?MODULE:module_info(compile)),
    filename:dirname(filename:dirname(Source)).

kernels() ->
    Header = "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
             "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n",
    Copy = "  b[i.x] = a[i.x];\n",
    Main = "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {\n",
    [
        {syntax_error, [Header, Main, "  b[i.x] = a[i.x] +;\n}\n"]},
        {no_main, [Header, "@compute @workgroup_size(64) fn other(@builtin(global_invocation_id) i: vec3u) {\n",
                   Copy, "}\n"]},
        {two_mains, [Header, Main, Copy, "}\n", Main, Copy, "}\n"]},
        {no_output, ["@group(0) @binding(0) var<storage, read> a: array<u32>;\n", Main, "  _ = a[i.x];\n}\n"]},
        {extra_binding, [Header, "@group(0) @binding(3) var<storage, read> c: array<u32>;\n", Main,
                         "  b[i.x] = a[i.x] + c[i.x];\n}\n"]},
        {missing_params, [Header, "@group(0) @binding(2) var<uniform> p: vec4u;\n", Main,
                          "  b[i.x] = a[i.x] + p.x;\n}\n"]},
        {big_workgroup, [Header, "@compute @workgroup_size(65536) fn main(@builtin(global_invocation_id) i: vec3u) {\n",
                         Copy, "}\n"]},
        {add_params, [Header, "struct Params { width: u32, height: u32, add: u32, scale: u32 }\n",
                      "@group(0) @binding(2) var<uniform> p: Params;\n",
                      "@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) i: vec3u) {\n",
                      "  if i.x < p.width && i.y < p.height {\n",
                      "    let at = i.y * p.width + i.x;\n",
                      "    b[at] = a[at] * p.scale + p.add;\n  }\n}\n"]},
        {constants, [Header, "override factor: u32 = 3u;\n@id(7) override offset: u32 = 0u;\n", Main,
                     "  b[i.x] = a[i.x] * factor + offset;\n}\n"]},
        {workgroups, [Header, "@compute @workgroup_size(1) fn main(@builtin(num_workgroups) n: vec3u, ",
                      "@builtin(workgroup_id) i: vec3u) {\n  if i.x + i.y + i.z == 0u {\n",
                      "    b[0] = n.x;\n    b[1] = n.y;\n    b[2] = n.z;\n    b[3] = arrayLength(&a);\n  }\n}\n"]},
        {entry_points, [Header, "@compute @workgroup_size(1) fn one() { b[0] = 1u + a[0] * 0u; }\n",
                        "@compute @workgroup_size(1) fn two() { b[0] = 2u + a[0] * 0u; }\n"]},
        {slow, [Header, Main, "  var sum = a[i.x];\n",
                "  for (var n = 0u; n < 60000u; n++) { sum = sum * 1664525u + 1013904223u; }\n",
                "  b[i.x] = sum;\n}\n"]}
    ].

%% @doc Every bad call of the contract: name, arguments of execute_kernel or {params, arguments of
%% execute_kernel_with_params}, the class of its error.
-spec bad_calls() -> [{atom(), [term()] | {params, [term()]}, kem:class()}].
bad_calls() ->
    Word = <<1, 2, 3, 4>>,
    Size = <<2:32/little, 2:32/little, 0:64>>,
    [
        {unknown_txid, [kernel(nowhere), Word, 1], kernel_not_found},
        {short_txid, [<<"short">>, Word, 1], invalid_kernel_id},
        {txid_of_other_characters, [binary:copy(<<"*">>, 43), Word, 1], invalid_kernel_id},
        {txid_with_stray_bits, [binary:copy(<<"_">>, 43), Word, 1], invalid_kernel_id},
        {empty_txid, [<<>>, Word, 1], invalid_kernel_id},
        {long_txid, [binary:copy(<<"a">>, 100000), Word, 1], invalid_kernel_id},
        {path_as_txid, [<<"../../../../../../../../../../etc/passwd...">>, Word, 1], invalid_kernel_id},
        {hint_zero, [kernel(double), Word, 0], invalid_argument},
        {hint_negative, [kernel(double), Word, -1], invalid_argument},
        {hint_too_large_for_the_cap, [kernel(double), Word, 100000000], output_too_large},
        {hint_huge, [kernel(double), Word, 1 bsl 63], invalid_argument},
        {hint_over_64_bits, [kernel(double), Word, 1 bsl 200], invalid_argument},
        {empty_input, [kernel(double), <<>>, 1], invalid_input},
        {syntax_error, [kernel(syntax_error), Word, 1], invalid_kernel},
        {no_main, [kernel(no_main), Word, 1], invalid_argument},
        {two_mains, [kernel(two_mains), Word, 1], invalid_kernel},
        {no_output, [kernel(no_output), Word, 1], invalid_binding},
        {extra_binding, [kernel(extra_binding), Word, 1], invalid_binding},
        {missing_params, [kernel(missing_params), Word, 1], invalid_binding},
        {big_workgroup, [kernel(big_workgroup), Word, 1], invalid_kernel},
        {params_shorter_than_the_uniform, {params, [kernel(add_params), Word, <<1:32/little, 1:32/little>>]},
         invalid_params},
        {params_without_a_size, {params, [kernel(add_params), Word, <<1:32/little>>]}, invalid_params},
        {params_empty, {params, [kernel(add_params), Word, <<>>]}, invalid_params},
        {params_no_words, {params, [kernel(add_params), Word, <<Size/binary, 1>>]}, invalid_params}
    ].

%%% Child VMs.

%% @doc The value of Expression in a fresh VM with the given environment: `{ok, Value}', or the exit status and
%% all output if the VM did not end by itself with status 0.
-spec child([{string(), string() | false}], string()) -> {ok, term()} | {failed, term(), binary()}.
child(Environment, Expression) ->
    child(Environment, Expression, []).

-spec child([{string(), string() | false}], string(), [string()]) -> {ok, term()} | {failed, term(), binary()}.
child(Environment, Expression, Arguments) ->
    child(Environment, Expression, Arguments, [Path || Path <- code:get_path(), filename:basename(Path) =/= "."]).

%% @doc The same with another code path than this VM's.
-spec child([{string(), string() | false}], string(), [string()], [file:filename()]) ->
    {ok, term()} | {failed, term(), binary()}.
child(Environment, Expression, Arguments, Paths) ->
    Print = "io:put_chars([\"<<<\", base64:encode(term_to_binary(Value)), \">>>\"])",
    Program = "Value = begin " ++ Expression ++ " end, " ++ Print ++ ", halt(0).",
    Port = open_port({spawn_executable, os:find_executable("erl")},
                     [{args, ["-noinput", "-boot", "no_dot_erlang", "-pa" | Paths] ++ Arguments ++ ["-eval", Program]},
                      {env, Environment}, exit_status, binary, stderr_to_stdout]),
    collect(Port, <<>>).

collect(Port, Output) ->
    receive
        {Port, {data, Data}} -> collect(Port, <<Output/binary, Data/binary>>);
        {Port, {exit_status, 0}} -> printed(Output);
        {Port, {exit_status, Status}} -> {failed, Status, Output}
    after 300000 ->
        true = port_close(Port),
        {failed, no_end, Output}
    end.

printed(Output) ->
    case re:run(Output, "<<<(.*)>>>", [{capture, all_but_first, binary}, dotall]) of
        {match, [Text]} -> {ok, binary_to_term(base64:decode(Text))};
        nomatch -> {failed, no_value, Output}
    end.

%% @doc RGBA8 pixels as a PNG file.
-spec png(pos_integer(), pos_integer(), binary()) -> binary().
png(Width, Height, Pixels) ->
    Rows = [[0, binary:part(Pixels, Row * Width * 4, Width * 4)] || Row <- lists:seq(0, Height - 1)],
    Chunks = [{"IHDR", <<Width:32, Height:32, 8, 6, 0, 0, 0>>}, {"IDAT", zlib:compress(Rows)}, {"IEND", <<>>}],
    iolist_to_binary([<<137, "PNG\r\n", 26, "\n">>,
                      [[<<(byte_size(Data)):32>>, Type, Data, <<(erlang:crc32([Type, Data])):32>>] ||
                          {Type, Data} <- Chunks]]).

%% @doc Every message in the caller's mailbox, which is empty afterwards; waits for strays a moment.
-spec flush() -> [term()].
flush() ->
    receive
        Message -> [Message | flush()]
    after 100 -> []
    end.
