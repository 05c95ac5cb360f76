%%% @doc The Erlang API and the contract's functions on kernels that run, and on every bad call.
-module(kem_tests).

-include_lib("eunit/include/eunit.hrl").

-import(kem_test_lib, [kernel/1]).

all_test_() ->
    {setup, fun kem_test_lib:start/0, kem_test_lib:patient([
        fun examples/0, fun params/0, fun raw_lengths/0, fun sizes/0, fun dispatch/0, fun constants/0,
        fun entry_point/0, fun source/0, fun image/0, fun report/0, fun immediates/0, fun check/0, fun adapter/0, fun stats/0,
        fun large/0,
        [{atom_to_list(Name), fun() -> bad_call(Call, Class) end} ||
            {Name, Call, Class} <- kem_test_lib:bad_calls()],
        fun bad_arguments/0, fun bad_options/0, fun diagnostics/0, fun bad_queries/0, fun error_table/0
    ])}.

examples() ->
    ?assertEqual({ok, <<2, 6, 10, 14>>}, kem:run(kernel(double), <<1, 3, 5, 7>>, #{})),
    ?assertEqual(<<2, 6, 10, 14>>, kem_nif:execute_kernel(kernel(double), <<1, 3, 5, 7>>, 1)).

params() ->
    Input = << <<N:32/little>> || N <- lists:seq(1, 12) >>,
    Params = <<4:32/little, 3:32/little, 100:32/little, 2:32/little>>,
    Expected = << <<(N * 2 + 100):32/little>> || N <- lists:seq(1, 12) >>,
    ?assertEqual({ok, Expected}, kem:run(kernel(add_params), Input, Params, #{dispatch => grid})),
    ?assertEqual({ok, Expected}, kem:run(kernel(add_params), Input, #{params => Params, dispatch => grid})),
    ?assertEqual(Expected, kem_nif:execute_kernel_with_params(kernel(add_params), Input, Params)),
    ?assertMatch({error, {invalid_argument, _}}, kem:run(kernel(add_params), Input, Params, #{params => Params})).

%% 1 to 7 bytes: padded to words for the kernel, cut to the input's length for the caller.
raw_lengths() ->
    [begin
        Input = binary:part(<<1, 2, 3, 4, 5, 6, 7>>, 0, Length),
        Expected = << <<(Byte * 2)>> || <<Byte>> <= Input >>,
        ?assertEqual({ok, Expected}, kem:run(kernel(double), Input, #{})),
        ?assertEqual(Expected, kem_nif:execute_kernel(kernel(double), Input, 1))
    end || Length <- lists:seq(1, 7)].

sizes() ->
    ?assertEqual({ok, <<2, 4, 6, 8, 0:64>>}, kem:run(kernel(double), <<1, 2, 3, 4>>, #{output_size_hint => 3})),
    ?assertEqual({ok, <<2, 4, 6, 8, 0:24>>}, kem:run(kernel(double), <<1, 2, 3, 4>>, #{output_size => 7})),
    ?assertEqual({ok, <<2, 4>>}, kem:run(kernel(double), <<1, 2, 3, 4>>, #{output_size => 2})).

dispatch() ->
    Run = fun(Dispatch) ->
        {ok, <<X:32/little, Y:32/little, Z:32/little, Length:32/little>>} =
            kem:run(kernel(workgroups), <<0:72>>, #{output_size => 16, dispatch => Dispatch}),
        {X, Y, Z, Length}
    end,
    ?assertEqual({3, 5, 7, 3}, Run({3, 5, 7})),
    ?assertEqual({4, 1, 1, 3}, Run(linear)).

constants() ->
    Run = fun(Constants) -> kem:run(kernel(constants), <<5:32/little>>, #{constants => Constants}) end,
    ?assertEqual({ok, <<15:32/little>>}, Run(#{})),
    ?assertEqual({ok, <<50:32/little>>}, Run(#{factor => 10})),
    ?assertEqual({ok, <<57:32/little>>}, Run(#{<<"factor">> => 10.0, "7" => 7})),
    ?assertMatch({error, {invalid_argument, _}}, Run(#{nothing => 1})),
    ?assertMatch({error, {invalid_argument, _}}, Run(#{factor => ten})),
    ?assertMatch({error, {invalid_argument, _}}, Run([{factor, 10}])).

entry_point() ->
    Run = fun(Name) -> kem:run(kernel(entry_points), <<0:32>>, #{entry_point => Name}) end,
    ?assertEqual({ok, <<1:32/little>>}, Run(<<"one">>)),
    ?assertEqual({ok, <<2:32/little>>}, Run("two")),
    ?assertEqual({ok, <<2:32/little>>}, Run(two)),
    ?assertMatch({error, {_, _}}, Run(three)).

source() ->
    Wgsl = <<"@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
             "@compute @workgroup_size(1) fn main() { b[0] = 42u; }\n">>,
    ?assertEqual({ok, <<42:32/little>>}, kem:run({source, Wgsl}, <<0:32>>, #{})),
    ?assertMatch({error, {invalid_argument, _}}, kem:run({source, binary_to_list(Wgsl)}, <<0:32>>, #{})),
    ?assertMatch({error, {kernel_too_large, _}}, kem:run({source, binary:copy(<<" ">>, 20000000)}, <<0:32>>, #{})).

%% A PNG is decoded before the kernel and encoded after it; the same pixels as raw bytes stay raw.
image() ->
    Pixels = << <<N, (255 - N), 7, 255>> || N <- lists:seq(1, 32) >>,
    Png = kem_test_lib:png(8, 4, Pixels),
    Params = <<8:32/little, 4:32/little, 2:32/little, 0:32/little>>,
    Options = #{dispatch => grid, image => true},
    {ok, Output} = kem:run(kernel(pixelize), Png, Params, Options),
    ?assertMatch(<<137, "PNG", _:12/binary, 0, 0, 0, 8, 0, 0, 0, 4, _/binary>>, Output),
    ?assertEqual(Output, kem_nif:execute_kernel_with_params(kernel(pixelize), Png, Params)),
    {ok, Raw} = kem:run(kernel(pixelize), Pixels, Params, Options),
    ?assertEqual(byte_size(Pixels), byte_size(Raw)),
    ?assertEqual({ok, Output}, kem:run({source, copy()}, kem_test_lib:png(8, 4, Raw), Params, Options)),
    ?assertMatch({error, {invalid_params, _}}, kem:run(kernel(pixelize), Png, <<9:32/little, Params:12/binary>>, Options)),
    ?assertMatch({error, {invalid_input, _}}, kem:run(kernel(pixelize), binary:part(Png, 0, 40), Params, Options)).

copy() ->
    <<"@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
      "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
      "@group(0) @binding(2) var<uniform> p: vec4u;\n"
      "@compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) i: vec3u) {\n"
      "  if i.x < p.x && i.y < p.y { b[i.y * p.x + i.x] = a[i.y * p.x + i.x]; }\n}\n">>.

report() ->
    {ok, <<2, 6, 10, 14>>, Report} = kem:run(kernel(double), <<1, 3, 5, 7>>, #{report => true}),
    #{stages := Stages, kernel_origin := Origin, warnings := Warnings} = Report,
    ?assertEqual(lists:sort([queue, fetch, front_end, spirv, pipeline, upload, execute, readback]),
                 lists:sort(maps:keys(Stages))),
    ?assert(lists:all(fun(Time) -> is_integer(Time) andalso Time >= 0 end, maps:values(Stages))),
    ?assert(is_binary(Origin)),
    ?assert(is_binary(Warnings)).

immediates() ->
    Wgsl = <<"var<immediate> n: vec2u;\n@group(0) @binding(1) var<storage, read_write> o: array<u32>;\n"
             "@compute @workgroup_size(1) fn main() { o[0] = n.x * 10u + n.y; }">>,
    Run = fun(Options) -> kem:run({source, Wgsl}, <<0:32>>, Options) end,
    ?assertEqual({ok, <<43:32/little>>}, Run(#{immediates => <<4:32/little, 3:32/little>>})),
    ?assertEqual({ok, <<40:32/little>>}, Run(#{immediates => <<4:32/little>>})),
    ?assertEqual({ok, <<0:32>>}, Run(#{})),
    ?assertMatch({error, {invalid_argument, _}}, Run(#{immediates => <<0:96>>})),
    ?assertMatch({error, {invalid_argument, _}}, Run(#{immediates => [1]})).

check() ->
    ?assertEqual({ok, <<>>}, kem:check(<<"fn f() -> i32 { return 1; }">>)),
    ?assertMatch({error, {invalid_kernel, _}}, kem:check(<<"fn f() -> i32 { return 1u; }">>)),
    ?assertMatch({error, {invalid_argument, _}}, kem:check("fn")).

adapter() ->
    {ok, Adapter} = kem:adapter_info(),
    [?assert(is_binary(maps:get(Key, Adapter))) || Key <- [name, type, driver, driver_info, uuid]],
    [?assert(is_integer(maps:get(Key, Adapter))) || Key <- [vendor, device, api_version, index]],
    #{<<"name">> := _, <<"backend">> := Backend} = Json = hb_json:decode(kem_nif:adapter_info()),
    ?assertEqual(<<"vulkan">>, Backend),
    [?assertEqual(maps:get(Key, Adapter), maps:get(atom_to_binary(Key), Json)) ||
        Key <- [name, vendor, device, driver, driver_info]].

stats() ->
    {ok, #{jobs_done := Before}} = kem:stats(),
    {ok, _} = kem:run(kernel(double), <<1, 3, 5, 7>>, #{}),
    {ok, #{jobs_done := After}} = kem:stats(),
    ?assert(After > Before).

large() ->
    Input = binary:copy(<<1, 2, 3, 4>>, 1000000),
    {ok, Output} = kem:run(kernel(double), Input, #{}),
    ?assertEqual(binary:copy(<<2, 4, 6, 8>>, 1000000), Output).

%%% Bad calls.

bad_call({params, [Kernel, Input, Params]}, Class) ->
    ?assertMatch({error, {Class, Message}} when is_binary(Message),
                 kem:run(Kernel, Input, Params, #{dispatch => grid})),
    ?assertError({Class, _}, kem_nif:execute_kernel_with_params(Kernel, Input, Params)),
    serves();
bad_call([Kernel, Input, Hint], Class) ->
    {error, {Class, Message}} = kem:run(Kernel, Input, #{output_size_hint => Hint}),
    ?assert(is_binary(Message) andalso byte_size(Message) > 0),
    ?assertError({Class, Message}, kem_nif:execute_kernel(Kernel, Input, Hint)),
    serves().

serves() ->
    ?assertEqual({ok, <<2, 6, 10, 14>>}, kem:run(kernel(double), <<1, 3, 5, 7>>, #{})).

%% No term of the wrong type may raise anything but the error itself.
bad_arguments() ->
    Strange = [atom, 1, -1, 1.5, "list", [1 | 2], {tuple}, #{}, self(), make_ref(), fun() -> ok end, <<1:3>>,
               {source, 1}, 1 bsl 5000],
    Word = <<1, 2, 3, 4>>,
    [?assertMatch({{error, {invalid_argument, _}}, _}, {kem:run(Term, Word, #{}), Term}) || Term <- Strange],
    [?assertMatch({{error, {invalid_argument, _}}, _}, {kem:run(kernel(double), Term, #{}), Term}) || Term <- Strange],
    [?assertMatch({{error, {invalid_argument, _}}, _}, {kem:run(kernel(double), Word, Term, #{}), Term}) ||
        Term <- Strange],
    [begin
        ?assertError({invalid_argument, _}, kem_nif:execute_kernel(Term, Word, 1)),
        ?assertError({invalid_argument, _}, kem_nif:execute_kernel(kernel(double), Term, 1)),
        ?assertError({invalid_argument, _}, kem_nif:execute_kernel_with_params(kernel(add_params), Word, Term))
    end || Term <- Strange],
    [?assertError({invalid_argument, _}, kem_nif:execute_kernel(kernel(double), Word, Term)) ||
        Term <- Strange -- [1]],
    serves().

bad_options() ->
    Run = fun(Options) -> kem:run(kernel(double), <<1, 2, 3, 4>>, Options) end,
    [?assertMatch({{error, {invalid_argument, _}}, _}, {Run(Options), Options}) || Options <- [
        [], [{timeout, 1}], none, #{unknown => 1}, #{<<"timeout">> => 1}, #{1 => 2}, #{timeout => 0},
        #{timeout => infinity}, #{timeout => 1 bsl 70}, #{output_size => 0}, #{output_size => -5},
        #{output_size => 4, output_size_hint => 1}, #{dispatch => square}, #{dispatch => {1, 2}},
        #{dispatch => {0, 1, 1}}, #{dispatch => {1, 1, 1, 1}}, #{params => [1]}, #{entry_point => 1},
        #{entry_point => [1.0]}, #{entry_point => [$a | $b]}, #{constants => #{[self()] => 1}}, #{image => 1},
        #{report => yes}
    ]],
    {error, {invalid_argument, Message}} = Run(#{unknown => 1}),
    ?assertMatch({match, _}, re:run(Message, "unknown")),
    ?assertMatch({error, {output_too_large, _}}, Run(#{output_size => 268435457})).

%% A syntax error's message has the line, its text and a caret below the place.
diagnostics() ->
    {error, {invalid_kernel, Message}} = kem:run(kernel(syntax_error), <<0:32>>, #{}),
    Lines = binary:split(Message, <<"\n">>, [global]),
    ?assertMatch([_ | _], [Line || Line <- Lines, binary:match(Line, <<"b[i.x] = a[i.x] +;">>) =/= nomatch]),
    ?assertMatch([_ | _], [Line || Line <- Lines, re:run(Line, "^[ 0-9|]*\\^") =/= nomatch]),
    ?assertMatch({match, _}, re:run(Message, ":4:")).

bad_queries() ->
    ?assertError({invalid_argument, _}, kem_nif:measure_empty_submit(0)),
    ?assertError({invalid_argument, _}, kem_nif:measure_empty_submit(many)),
    ?assertMatch({error, {invalid_argument, _}}, kem_nif:ask(weather)).

%% kem:http_status/1 agrees with the library's own table of error classes.
error_table() ->
    Source = proplists:get_value(source, ?MODULE:module_info(compile)),
    {ok, Header} = file:read_file(filename:join([filename:dirname(Source), "..", "native", "base", "error.h"])),
    {match, Rows} = re:run(Header, "ROW\\(\\w+, \"(\\w+)\", (\\d+)\\)", [global, {capture, all_but_first, list}]),
    ?assert(length(Rows) > 20),
    [?assertEqual(list_to_integer(Status), kem:http_status(reason(list_to_atom(Class)))) || [Class, Status] <- Rows].

reason(busy) -> busy;
reason(Class) -> {Class, <<>>}.
