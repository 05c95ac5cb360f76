%%% @doc The device in a real node: over HTTP, from Lua, under p4, behind a router. Runs inside a checkout that has it
%%% (`make test-hyperbeam HB=DIR'); everything stays on the loopback interface.
-module(kem_hyperbeam_suite).

-export([all/0]).

-include_lib("eunit/include/eunit.hrl").

-import(kem_hyperbeam_node, [post/5, get/2]).

-define(DOUBLE, <<"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg">>).
-define(UNKNOWN, <<"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Ew">>).
-define(BYTES, "application/octet-stream").
-define(RAW, [{"kernel-id", binary_to_list(?DOUBLE)}]).

%% @doc The tests, for eunit:test/2. (Not found by EUnit by itself: without a host there is nothing to test here.)
-spec all() -> term().
all() ->
    {timeout, 900, {setup, fun kem_hyperbeam_node:start/0, fun(Node) ->
        [{Name, {timeout, 300, fun() -> Test(Node) end}} || {Name, Test} <- [
            {"installed", fun installed/1},
            {"seed example", fun seed_example/1},
            {"both spellings", fun both_spellings/1},
            {"raw body", fun raw_body/1},
            {"query", fun query/1},
            {"base message", fun base_message/1},
            {"encodings", fun encodings/1},
            {"inline source", fun inline_source/1},
            {"params", fun params/1},
            {"only keys", fun only_keys/1},
            {"info", fun info/1},
            {"errors", fun errors/1},
            {"errors of the engine", fun engine_errors/1},
            {"lists of callers", fun callers/1},
            {"jobs per caller", fun caller_limit/1},
            {"bad option", fun bad_option/1},
            {"bad option at start", fun bad_option_at_start/1},
            {"config.flat", fun config_flat/1},
            {"metrics", fun metrics/1},
            {"resolve with both messages", fun both_messages/1},
            {"lua", fun lua/1},
            {"lua errors", fun lua_errors/1},
            {"lua numbers", fun lua_numbers/1},
            {"process with state", fun process/1},
            {"prices", fun prices/1},
            {"upgrade under load", fun upgrade/1},
            {"relay", fun relay/1}
        ]]
    end}}.

installed(_) ->
    ?assertMatch([_], [Module || #{<<"name">> := <<"kem@1.0">>, <<"module">> := Module} <- hb_opts:get(preloaded_devices),
                                Module =:= dev_kem]),
    ?assertNotEqual(undefined, kem_nif:library()).

seed_example(Node) ->
    Body = <<"{\"kernel_id\":\"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg\",\"input_data\":[1,3,5,7],"
             "\"output_size_hint\":1}">>,
    ?assertMatch({200, #{"content-type" := ?BYTES}, <<2, 6, 10, 14>>},
                 post(Node, "~kem@1.0/execute_kernel", [], "application/json", Body)).

both_spellings(Node) ->
    [?assertMatch({200, _, <<2, 6, 10, 14>>}, post(Node, "~kem@1.0/" ++ Key, ?RAW, ?BYTES, <<1, 3, 5, 7>>)) ||
        Key <- ["execute_kernel", "execute-kernel", "run"]],
    {200, _, Adapter} = get(Node, "~kem@1.0/get_adapter_info"),
    ?assertEqual({200, Adapter}, begin {S, _, B} = get(Node, "~kem@1.0/get-adapter-info"), {S, B} end).

raw_body(Node) ->
    Input = << <<N:32/little>> || N <- lists:seq(1, 65536) >>,
    Expected = << <<(2 * N):32/little>> || N <- lists:seq(1, 65536) >>,
    {200, Headers, Output} = post(Node, "~kem@1.0/run", ?RAW, ?BYTES, Input),
    ?assert(Output =:= Expected),
    ?assertMatch(#{"content-type" := ?BYTES, "kernel-id" := "btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg",
                   "kernel-origin" := "store", "kernel-verification" := "operator", "adapter" := _,
                   "server-timing" := "queue;dur=" ++ _}, Headers).

query(Node) ->
    Path = "~kem@1.0/run?kernel-id=" ++ binary_to_list(?DOUBLE),
    ?assertMatch({200, _, <<2, 6, 10, 14>>}, post(Node, Path, [], ?BYTES, <<1, 3, 5, 7>>)),
    ?assertMatch({200, _, <<2, 6, 10, 14, 0:32>>},
                 post(Node, Path ++ "&output-size+integer=8", [], ?BYTES, <<1, 3, 5, 7>>)),
    ?assertMatch({200, _, <<2, 6, 10, 14, 0:64>>},
                 post(Node, Path ++ "&output-size-hint=3", [], ?BYTES, <<1, 3, 5, 7>>)).

base_message(Node) ->
    Path = "~kem@1.0&kernel-id=" ++ binary_to_list(?DOUBLE) ++ "/run",
    ?assertMatch({200, _, <<2, 6, 10, 14>>}, post(Node, Path, [], ?BYTES, <<1, 3, 5, 7>>)).

encodings(Node) ->
    Body = fun(Headers, Bytes) -> element(3, post(Node, "~kem@1.0/run", ?RAW ++ Headers, ?BYTES, Bytes)) end,
    ?assertEqual(<<"[2,6,10,14]">>, Body([{"encoding", "json"}], <<1, 3, 5, 7>>)),
    ?assertEqual(<<"AgYKDg">>, Body([{"encoding", "base64url"}], <<1, 3, 5, 7>>)),
    ?assertEqual(<<2, 6, 10, 14>>, Body([{"input-encoding", "base64url"}], <<"AQMFBw">>)),
    ?assertEqual(<<2, 6, 10, 14>>, Body([{"input-encoding", "json"}], <<"[1,3,5,7]">>)).

%% The source comes in a JSON object: in a header its lines would not fit.
inline_source(Node) ->
    Source = <<"@group(0) @binding(1) var<storage, read_write> b: array<u32>; override n = 7u;\n"
               "@compute @workgroup_size(1) fn main() { b[0] = n; }">>,
    Json = fun(Map) -> hb_json:encode(Map) end,
    Run = fun(Map) -> post(Node, "~kem@1.0/run", [], "application/json", Json(Map)) end,
    Call = #{<<"kernel">> => Source, <<"input">> => [0, 0, 0, 0]},
    ?assertMatch({200, _, <<7:32/little>>}, Run(Call)),
    ?assertMatch({200, _, <<9:32/little>>}, Run(Call#{<<"constants">> => #{<<"n">> => 9}})),
    ?assertMatch({200, _, <<"{", _/binary>>},
                 post(Node, "~kem@1.0/compile", [], "application/json", Json(#{<<"kernel">> => Source}))),
    {400, _, Diagnostics} =
        post(Node, "~kem@1.0/compile", [], "application/json", Json(#{<<"kernel">> => <<"fn main( {}">>})),
    ?assertNotEqual(nomatch, binary:match(Diagnostics, <<"error: ">>)).

params(Node) ->
    Source = <<"@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
               "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
               "@group(0) @binding(2) var<uniform> p: vec4u;\n"
               "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) i: vec3u) {\n"
               "  b[i.y * p.x + i.x] = a[i.y * p.x + i.x] + p.z; }">>,
    Call = #{<<"kernel">> => Source, <<"input">> => [1, 0, 0, 0, 2, 0, 0, 0], <<"params">> => [2, 1, 10, 0],
             <<"dispatch">> => <<"grid">>},
    ?assertMatch({200, _, <<11:32/little, 12:32/little>>},
                 post(Node, "~kem@1.0/run", [], "application/json", hb_json:encode(Call))).

%% (For module_info and test the host calls its own message device's functions of that name.)
only_keys(Node) ->
    [?assertMatch({404, _, _}, get(Node, "~kem@1.0/" ++ Path)) ||
        Path <- ["respond", "refuse", "configure", "execute", "uploaded", "value", "test_ao"]],
    [?assertMatch({403, _, _}, get(Node, "~kem@1.0/" ++ Path)) || Path <- ["start", "relay"]].

info(Node) ->
    {200, _, Info} = get(Node, "~kem@1.0/info"),
    ?assertNotEqual(nomatch, binary:match(Info, <<"Kernel Execution Machine">>)),
    [begin
        {200, #{"content-type" := "application/json"}, Body} = get(Node, "~kem@1.0/" ++ Key),
        _ = hb_json:decode(Body)
    end || Key <- ["get_adapter_info", "adapters", "stats"]].

errors(Node) ->
    Refused = fun(Key, Headers, Body) ->
        {Status, #{"error-class" := Class}, Text} = post(Node, "~kem@1.0/" ++ Key, Headers, ?BYTES, Body),
        ?assert(byte_size(Text) > 0),
        {Status, Class}
    end,
    Id = fun(Kernel) -> [{"kernel-id", binary_to_list(Kernel)}] end,
    ?assertEqual({404, "kernel_not_found"}, Refused("run", Id(?UNKNOWN), <<1>>)),
    ?assertEqual({400, "invalid_kernel_id"}, Refused("run", [{"kernel-id", "x"}], <<1>>)),
    ?assertEqual({400, "invalid_argument"}, Refused("run", [], <<"{}">>)),
    ?assertEqual({400, "invalid_argument"}, Refused("execute_kernel", [], <<"not json">>)),
    ?assertEqual({413, "output_too_large"}, Refused("run", ?RAW ++ [{"output-size-hint", "100000000"}], <<1, 2, 3, 4>>)),
    ?assertEqual({400, "invalid_argument"}, Refused("run", ?RAW ++ [{"dispatch", "round"}], <<1>>)),
    Json = fun(Source) -> hb_json:encode(#{<<"kernel">> => Source, <<"input">> => [0]}) end,
    ?assertEqual({400, "invalid_kernel"}, Refused("run", [], Json(<<"fn main( {}">>))),
    Long = iolist_to_binary(["@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
                             "@compute @workgroup_size(1) fn main() { var x = b[0]; ",
                             lists:duplicate(40000, "if x > 1 { x++; } "), "b[0] = x; }"]),
    ?assertEqual({501, "unsupported_kernel"}, Refused("run", [], Json(Long))).

%% What depends on the engine's own options: a node in a VM of its own that runs one job at a time, lets loops run so
%% far, has a store with a file that is not the one it names, and a gateway that is not there.
engine_errors(_) ->
    Header = "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
             "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
             "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {\n  var x = i.x;\n",
    Loop = fun(Times) -> ["  for (var n = 0u; n < a[0] + ", Times, "; n++) { x = x * 1664525u + n; }\n"] end,
    [Slow, Endless, Wrong, Unknown] = [hb_util:encode(crypto:strong_rand_bytes(32)) || _ <- lists:seq(1, 4)],
    Directory = filename:absname("store"),
    ok = filelib:ensure_dir(filename:join(Directory, "file")),
    [ok = file:write_file(filename:join(Directory, File), Text) || {File, Text} <- [
        {"slow.wgsl", [Header, Loop("60000u"), "  b[i.x] = x;\n}\n"]},
        {"endless.wgsl", [Header, Loop("4000000000u"), "  b[i.x] = x;\n}\n"]},
        {"index.json", hb_json:encode(#{Slow => <<"slow.wgsl">>, Endless => <<"endless.wgsl">>,
                                        Wrong => #{<<"file">> => <<"slow.wgsl">>,
                                                   <<"sha256">> => binary:copy(<<"0">>, 64)}})}]],
    {_, _, Node} = Worker = kem_hyperbeam_node:start_process(#{
        kem_kernel_store => list_to_binary(Directory), kem_gateways => <<"http://127.0.0.1:1">>,
        kem_queue_length => <<"1">>, kem_loop_budget => <<"100000">>}),
    try
        Run = fun(Kernel, Headers) ->
            {Status, #{"error-class" := Class} = Answer, <<_, _/binary>>} =
                post(Node, "~kem@1.0/run", [{"kernel-id", binary_to_list(Kernel)} | Headers], ?BYTES, <<0:32>>),
            {Status, Class, maps:get("retry-after", Answer, none)}
        end,
        ?assertEqual({422, "kernel_unverified", none}, Run(Wrong, [])),
        ?assertEqual({422, "loop_budget_exhausted", none}, Run(Endless, [])),
        ?assertEqual({502, "gateway_unavailable", none}, Run(Unknown, [])),
        Large = [{"output-size", "67108864"}],
        ?assertEqual({504, "timeout", none}, Run(Slow, [{"timeout", "20"} | Large])),
        % Ends with its node.
        _ = spawn(fun() -> Run(Slow, [{"timeout", "30000"} | Large]) end),
        ok = until_queued(Node),
        Head = kem_hyperbeam_node:post_alone(Node, "~kem@1.0/run", [{"content-type", ?BYTES},
                                                                    {"kernel-id", binary_to_list(Slow)}], <<0:32>>),
        ?assertMatch(<<"HTTP/1.1 503 ", _/binary>>, Head),
        [?assertNotEqual({Line, nomatch}, {Line, binary:match(Head, Line)}) ||
            Line <- [<<"error-class: busy">>, <<"retry-after: 1">>]]
    after
        kem_hyperbeam_node:kill(Worker)
    end.

%% Until a job waits or runs on the node.
until_queued(Node) ->
    {200, _, Stats} = get(Node, "~kem@1.0/stats"),
    case hb_json:decode(Stats) of
        #{<<"queued">> := 0} -> until_queued(Node);
        #{<<"queued">> := _} -> ok
    end.

%% A node that serves one address alone: who has not signed is refused, who has is served.
callers(_) ->
    Wallet = ar_wallet:new(),
    Other = ar_wallet:new(),
    Address = hb_util:human_id(ar_wallet:to_address(Wallet)),
    Node = kem_hyperbeam_node:start(#{kem_allow_callers => Address}),
    Request = #{<<"path">> => <<"/~kem@1.0/run">>, <<"kernel-id">> => ?DOUBLE, <<"body">> => <<1, 3, 5, 7>>},
    Send = fun(Message) -> hb_http:post(Node, Message, #{}) end,
    ?assertMatch({403, _, _}, post(Node, "~kem@1.0/run", ?RAW, ?BYTES, <<1, 3, 5, 7>>)),
    ?assertMatch({error, #{<<"status">> := 403}}, Send(hb_message:commit(Request, Other))),
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14>>}}, Send(hb_message:commit(Request, Wallet))).

%% A caller who has as many jobs under way as may be is told to come again; others are served.
caller_limit(_) ->
    Node = kem_hyperbeam_node:start(#{kem_max_jobs_per_caller => <<"1">>}),
    Slow = #{<<"kernel">> => <<"@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
                               "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {\n"
                               "  for (var n = 0u; n < 20000u; n++) { b[i.x] = b[i.x] * 1664525u + n; }\n}">>,
             <<"input">> => [0], <<"output-size">> => 67108864, <<"timeout">> => 8000, <<"encoding">> => <<"json">>},
    {_, Monitor} = spawn_monitor(fun() ->
        exit(post(Node, "~kem@1.0/run", [], "application/json", hb_json:encode(Slow)))
    end),
    ok = until_queued(Node),
    Small = fun() -> post(Node, "~kem@1.0/run", ?RAW, ?BYTES, <<1, 3, 5, 7>>) end,
    ?assertMatch({429, #{"retry-after" := "1", "error-class" := "caller_busy"}, <<_, _/binary>>}, Small()),
    Request = #{<<"path">> => <<"/~kem@1.0/run">>, <<"kernel-id">> => ?DOUBLE, <<"body">> => <<1, 3, 5, 7>>},
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14>>}},
                 hb_http:post(Node, hb_message:commit(Request, ar_wallet:new()), #{})),
    receive {'DOWN', Monitor, process, _, {504, _, _}} -> ok end,
    ?assertMatch({200, _, <<2, 6, 10, 14>>}, Small()).

bad_option(_) ->
    Node = kem_hyperbeam_node:start(#{kem_relay_attempts => <<"many">>, kem_no_such_option => 1}),
    {400, _, Text} = get(Node, "~kem@1.0/stats"),
    ?assertNotEqual(nomatch, binary:match(Text, <<"kem_relay_attempts">>)),
    ?assertNotEqual(nomatch, binary:match(Text, <<"kem_no_such_option">>)).

%% The node's hook says so when it starts, as events of the topic error; the node serves all the same.
bad_option_at_start(_) ->
    {ok, Loaded} = hb_opts:load_bin(<<"on/start/device: kem@1.0\nkem_no_such_option: 1\n">>),
    {_, _, Node} = Worker = kem_hyperbeam_node:start_process(Loaded),
    try
        {200, _, Text} = get(Node, "~hyperbuddy@1.0/metrics"),
        ?assertNotEqual(nomatch, binary:match(Text, <<"event{topic=\"error\",event=\"kem_option\"} 1">>))
    after
        kem_hyperbeam_node:kill(Worker)
    end.

%% Options as an operator writes them, and a node that starts with them and with the device's own hook.
config_flat(_) ->
    {ok, Loaded} = hb_opts:load_bin(<<"on/start/device: kem@1.0\nkem_relay_attempts: 5\nkem_inline_source: true\n"
                                      "kem_deny_callers: a, b\n">>),
    ?assertMatch({ok, #{kem_relay_attempts := 5, kem_inline_source := true, kem_deny_callers := [<<"a">>, <<"b">>]}},
                 kem_options:read(Loaded)),
    ?assertMatch([#{<<"device">> := <<"kem@1.0">>}], dev_hook:find(<<"start">>, Loaded)),
    Node = kem_hyperbeam_node:start(Loaded),
    ?assertMatch({200, _, <<2, 6, 10, 14>>}, post(Node, "~kem@1.0/run", ?RAW, ?BYTES, <<1, 3, 5, 7>>)).

metrics(Node) ->
    {200, _, Text} = get(Node, "~hyperbuddy@1.0/metrics"),
    [?assertNotEqual({Metric, nomatch}, {Metric, binary:match(Text, Metric)}) || Metric <- [
        <<"kem_calls_total{key=\"run\",class=\"ok\"}">>, <<"kem_calls_total{key=\"run\",class=\"kernel_not_found\"}">>,
        <<"kem_stage_seconds_bucket{stage=\"execute\"">>, <<"kem_bytes_total{direction=\"input\"}">>,
        <<"kem_programs_total{found=\"cached\"}">>, <<"kem_queue_depth 0">>,
        <<"kem_jobs_total{result=\"ok\"}">>, <<"kem_cached{what=\"pipelines\"}">>,
        <<"kem_device_memory_bytes{what=\"allocated\"}">>,
        <<"event{topic=\"kem\",event=\"done\"}">>, <<"event{topic=\"kem\",event=\"refused\"}">>
    ]].

both_messages(_) ->
    Device = #{<<"device">> => <<"kem@1.0">>},
    Arguments = #{<<"kernel-id">> => ?DOUBLE, <<"body">> => <<1, 3, 5, 7>>},
    Opts = kem_hyperbeam_node:options(),
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14>>}},
                 hb_ao:resolve(Device, Arguments#{<<"path">> => <<"run">>}, Opts)),
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14>>}},
                 hb_ao:resolve(maps:merge(Device, Arguments), #{<<"path">> => <<"run">>}, Opts)),
    % What both have is the request's.
    ?assertMatch({ok, #{<<"body">> := <<4, 0, 0>>}},
                 hb_ao:resolve(maps:merge(Device, Arguments#{<<"output-size">> => 2}),
                               #{<<"path">> => <<"run">>, <<"body">> => <<2>>, <<"output-size">> => <<"3">>}, Opts)).

%%% Lua.

lua_call(Function) ->
    Base = #{<<"device">> => <<"lua@5.3a">>, <<"module">> => kem_hyperbeam_node:lua_modules(), <<"parameters">> => []},
    {ok, Result} = hb_ao:resolve(Base, Function, kem_hyperbeam_node:options()),
    maps:without([<<"priv">>], Result).

list(Value) -> hb_util:message_to_ordered_list(Value).

lua(_) ->
    #{<<"status">> := <<"ok">>, <<"bytes">> := Bytes} = lua_call(<<"bare_call">>),
    ?assertEqual([2, 6, 10, 14], list(Bytes)),
    #{<<"bytes">> := List} = lua_call(<<"list_call">>),
    ?assertEqual([2, 6, 10, 14], list(List)).

%% A failure is a value in Lua, not the end of the process.
lua_errors(_) ->
    ?assertMatch(#{<<"output">> := <<"nil">>, <<"message">> := <<"a kernel id has 43", _/binary>>, <<"status">> := 400,
                   <<"class">> := <<"invalid_kernel_id">>}, lua_call(<<"failing_call">>)).

lua_numbers(_) ->
    #{<<"words">> := Words, <<"signed">> := Signed, <<"bits">> := Bits, <<"exact">> := Exact} = lua_call(<<"numbers">>),
    ?assertEqual([0, 1, 4294967295, 305419896], list(Words)),
    ?assertEqual([-1, -2147483648, 7], list(Signed)),
    F32 = fun(Number) -> <<Word:32>> = <<Number:32/float>>, Word end,
    ?assertEqual([F32(1.0), F32(-2.5), F32(0.1), F32(1.0e-40), 16#7f800000, F32(16777217.0)], list(Bits)),
    ?assertEqual(<<"true">>, Exact).

%% Three messages to a process, whose numbers are doubled each time.
process(_) ->
    Wallet = hb:wallet(),
    Address = hb_util:human_id(ar_wallet:to_address(Wallet)),
    Opts = (kem_hyperbeam_node:options())#{priv_wallet => Wallet},
    Process = hb_message:commit(#{
        <<"device">> => <<"process@1.0">>, <<"type">> => <<"Process">>, <<"scheduler-device">> => <<"scheduler@1.0">>,
        <<"execution-device">> => <<"lua@5.3a">>, <<"module">> => kem_hyperbeam_node:lua_modules(),
        <<"authority">> => [Address], <<"scheduler-location">> => Address,
        <<"test-random-seed">> => rand:uniform(1000000)
    }, Wallet),
    {ok, _} = hb_cache:write(Process, Opts),
    Id = hb_message:id(Process, all),
    Send = fun(Message) ->
        Body = hb_message:commit(Message#{<<"target">> => Id, <<"type">> => <<"Message">>,
                                          <<"random-seed">> => rand:uniform(1000000)}, Wallet),
        {ok, _} = hb_ao:resolve(Process, hb_message:commit(#{<<"path">> => <<"schedule">>, <<"method">> => <<"POST">>,
                                                             <<"body">> => Body}, Wallet), Opts)
    end,
    Send(#{<<"action">> => <<"Double">>}),
    Send(#{<<"action">> => <<"Add">>, <<"number">> => 11}),
    Send(#{<<"action">> => <<"Double">>}),
    Data = fun() ->
        {ok, Text} = hb_ao:resolve(Process, <<"now/results/output/data">>, Opts),
        Text
    end,
    ?assertEqual(<<"8,24,40,56,44">>, Data()),
    % A call that fails is an answer, and leaves the state as it was.
    Send(#{<<"action">> => <<"Add">>, <<"number">> => 99, <<"kernel-id">> => ?UNKNOWN}),
    ?assertMatch(<<"error: ", _/binary>>, Data()),
    Send(#{<<"action">> => <<"Double">>}),
    ?assertEqual(<<"16,48,80,112,88">>, Data()).

%%% Pricing.

%% 10 a call and 5 for each MiB of input: 15. Whoever has less in the ledger is refused, the others pay; a request that
%% is not the device's costs what simple-pay says.
prices(_) ->
    Rich = ar_wallet:new(),
    Poor = ar_wallet:new(),
    Address = hb_util:human_id(ar_wallet:to_address(Rich)),
    Processor = #{<<"device">> => <<"p4@1.0">>, <<"pricing-device">> => <<"kem@1.0">>,
                  <<"ledger-device">> => <<"simple-pay@1.0">>},
    Node = kem_hyperbeam_node:start(#{
        kem_price_call => 10, kem_price_input_mib => <<"5">>, simple_pay_price => 1,
        simple_pay_ledger => #{Address => 100}, operator => hb:address(),
        on => #{<<"request">> => Processor, <<"response">> => Processor}
    }),
    Request = #{<<"path">> => <<"/~kem@1.0/run">>, <<"kernel-id">> => ?DOUBLE, <<"body">> => <<1, 3, 5, 7>>},
    ?assertMatch({error, _}, hb_http:post(Node, hb_message:commit(Request, Poor), #{})),
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14>>}}, hb_http:post(Node, hb_message:commit(Request, Rich), #{})),
    Balance = hb_message:commit(#{<<"path">> => <<"/~p4@1.0/balance">>}, Rich),
    ?assertMatch({ok, 85}, hb_http:get(Node, Balance, #{})).

%%% Upgrades and several nodes.

upgrade(_) ->
    Opts = kem_hyperbeam_node:options(),
    Device = #{<<"device">> => <<"kem@1.0">>},
    Request = #{<<"path">> => <<"run">>, <<"kernel-id">> => ?DOUBLE, <<"body">> => <<1, 3, 5, 7>>},
    Call = fun() -> {ok, #{<<"body">> := Body}} = hb_ao:resolve(Device, Request, Opts), Body end,
    ?assertEqual({[<<2, 6, 10, 14>>], true}, kem_upgrade:while_calling(Call)).

%% Three nodes behind one that runs nothing itself. One of them is killed while calls come in: none of the callers
%% learns of it.
relay(_) ->
    Workers = [kem_hyperbeam_node:start_process(#{}) || _ <- lists:seq(1, 3)],
    try
        Routes = [#{<<"template">> => <<"/~kem@1.0/.*">>,
                    <<"nodes">> => [#{<<"prefix">> => string:trim(Url, trailing, "/")} || {_, _, Url} <- Workers]}],
        Node = kem_hyperbeam_node:start(#{
            routes => Routes, kem_deny_kernels => ?DOUBLE,
            on => #{<<"request">> => #{<<"device">> => <<"kem@1.0">>, <<"path">> => <<"relay">>}}
        }),
        Self = self(),
        Call = fun() ->
            {Status, _, Body} = post(Node, "~kem@1.0/run", ?RAW, ?BYTES, <<1, 3, 5, 7>>),
            Self ! called,
            {Status, Body}
        end,
        Callers = [spawn_monitor(fun() -> exit([Call() || _ <- lists:seq(1, 8)]) end) || _ <- lists:seq(1, 3)],
        [receive called -> ok end || _ <- lists:seq(1, 6)],
        kem_hyperbeam_node:kill(hd(Workers)),
        Results = [receive {'DOWN', Monitor, process, _, Answers} -> Answers end || {_, Monitor} <- Callers],
        ?assertEqual([{200, <<2, 6, 10, 14>>}], lists:usort(lists:append(Results))),
        ?assertMatch({200, _, _}, get(Node, "~meta@1.0/info/address"))
    after
        [kem_hyperbeam_node:kill(Worker) || Worker <- Workers]
    end.
