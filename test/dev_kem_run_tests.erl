%%% @doc The device's own keys, beyond the contract: run, compile, adapters, stats, start, relay, estimate; and what an
%%% operator can allow. With stand-ins for the host's modules.
-module(dev_kem_run_tests).

-include_lib("eunit/include/eunit.hrl").

-import(kem_test_lib, [kernel/1]).

run_test_() ->
    {setup, fun kem_test_lib:start/0, kem_test_lib:patient([
        fun run/0, fun arguments/0, fun encodings/0, fun bad_arguments/0, fun lists_of_lua/0, fun time_limit/0,
        fun inline_source/0, fun kernels/0, fun callers/0, fun caller_limit/0, fun compile/0, fun tells/0, fun loads/0,
        fun start/0, fun relay/0, fun relay_spreads/0, fun prices/0, fun upload/0,
        fun upgrade/0
    ])}.

-define(DEVICE, #{<<"device">> => <<"kem@1.0">>}).
-define(PNG, <<137, "PNG", _/binary>>).

run(Arguments) ->
    run(Arguments, #{}).

run(Arguments, Opts) ->
    dev_kem:run(?DEVICE, Arguments#{<<"path">> => <<"run">>}, Opts).

double() ->
    #{<<"kernel-id">> => kernel(double), <<"body">> => <<1, 3, 5, 7>>}.

words(Words) -> << <<Word:32/little>> || Word <- Words >>.

%% In the request or in the base message, in either spelling.
run() ->
    {ok, Response} = run(double()),
    ?assertMatch(#{<<"status">> := 200, <<"body">> := <<2, 6, 10, 14>>, <<"kernel-origin">> := _,
                   <<"kernel-verification">> := _, <<"adapter">> := _,
                   <<"content-type">> := <<"application/octet-stream">>}, Response),
    ?assertEqual(kernel(double), maps:get(<<"kernel-id">>, Response)),
    {match, [_]} = re:run(maps:get(<<"server-timing">>, Response), "^queue;dur=[0-9.]+, .*readback;dur=[0-9.]+$",
                          [{capture, first}]),
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14>>}},
                 dev_kem:run(maps:merge(?DEVICE, double()), #{<<"path">> => <<"run">>}, #{})),
    ?assertMatch({ok, #{<<"body">> := <<2, 6>>}},
                 dev_kem:run((maps:remove(<<"body">>, double()))#{<<"body">> => <<9>>}, #{<<"body">> => <<1, 3>>}, #{})),
    ?assertMatch({ok, #{<<"body">> := <<2, 6>>}},
                 run(#{<<"Kernel_ID">> => kernel(double), <<"Input">> => <<1, 3>>})).

arguments() ->
    Size = (double())#{<<"output-size">> => <<"6">>},
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14, 0, 0>>}}, run(Size)),
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14, 0:64>>}}, run((double())#{<<"output-size-hint">> => 3.0})),
    Add = #{<<"kernel-id">> => kernel(add_params), <<"body">> => words([1, 2]), <<"dispatch">> => <<"grid">>,
            <<"params">> => <<"2,1,10,1">>},
    Sum = words([11, 12]),
    ?assertMatch({ok, #{<<"body">> := Sum}}, run(Add)),
    ?assertMatch({ok, #{<<"body">> := Sum}}, run(Add#{<<"params">> => [2, 1, 10.0, 1]})),
    Constants = #{<<"kernel-id">> => kernel(constants), <<"body">> => words([5])},
    [?assertEqual({Given, words([Expected])}, begin
        {ok, #{<<"body">> := Body}} = run(Constants#{<<"constants">> => Given}),
        {Given, Body}
    end) || {Given, Expected} <- [{<<"factor=2">>, 10}, {<<"factor=2, 7=4">>, 14}, {#{<<"factor">> => 4}, 20},
                                  {#{<<"factor">> => <<"4.0">>}, 20}]],
    Grid = #{<<"kernel-id">> => kernel(workgroups), <<"body">> => <<0:128>>},
    [?assertEqual({Given, Expected}, begin
        {ok, #{<<"body">> := <<X:32/little, Y:32/little, Z:32/little, _/binary>>}} = run(Grid#{<<"dispatch">> => Given}),
        {Given, [X, Y, Z]}
    end) || {Given, Expected} <- [{<<"3">>, [3, 1, 1]}, {<<"3, 2">>, [3, 2, 1]}, {[3, 2, 4], [3, 2, 4]}, {3, [3, 1, 1]}]],
    ?assertMatch({ok, #{<<"body">> := <<2:32/little>>}},
                 run(#{<<"kernel-id">> => kernel(entry_points), <<"body">> => <<0:32>>, <<"entry-point">> => <<"two">>})).

encodings() ->
    Body = fun(Encoding) ->
        {ok, #{<<"body">> := Body}} = run((double())#{<<"encoding">> => Encoding}),
        Body
    end,
    ?assertEqual([2, 6, 10, 14], Body(<<"list">>)),
    ?assertEqual(<<"[2,6,10,14]">>, Body(<<"json">>)),
    ?assertEqual(<<"AgYKDg">>, Body(<<"base64url">>)),
    Output = fun(Encoding, Input) ->
        {ok, #{<<"body">> := Doubled}} = run((double())#{<<"input-encoding">> => Encoding, <<"body">> => Input}),
        Doubled
    end,
    ?assertEqual(<<2, 6, 10, 14>>, Output(<<"base64url">>, <<"AQMFBw">>)),
    ?assertEqual(<<2, 6, 10, 14>>, Output(<<"base64url">>, <<"AQMFBw==">>)),
    ?assertEqual(<<2, 6>>, Output(<<"json">>, <<"[1,3]">>)),
    ?assertEqual(<<2, 6>>, Output(<<"binary">>, [1, 3])),
    ?assertEqual(<<2, 6>>, Output(<<"list">>, #{<<"1">> => 1, <<"2">> => 3})),
    % Every byte there and back.
    Every = << <<Byte>> || Byte <- lists:seq(0, 255) >>,
    {ok, #{<<"body">> := Text}} = run((double())#{<<"encoding">> => <<"base64url">>, <<"body">> => Every}),
    {ok, #{<<"body">> := Raw}} = run((double())#{<<"body">> => Every}),
    ?assertEqual(Raw, kem_request:input(#{<<"body">> => Text, <<"input_encoding">> => <<"base64url">>})).

bad_arguments() ->
    [?assertMatch({{error, #{<<"status">> := 400, <<"error-class">> := <<"invalid_argument">>, <<"body">> := <<_, _/binary>>}},
                   _}, {run(maps:merge(double(), Bad)), Bad}) || Bad <- [
        #{<<"dispatch">> => <<"round">>}, #{<<"dispatch">> => [1, 2, 3, 4]}, #{<<"dispatch">> => #{}},
        #{<<"params">> => <<"1,">>}, #{<<"params">> => [-1]}, #{<<"constants">> => <<"factor">>},
        #{<<"constants">> => [1]}, #{<<"constants">> => #{<<"factor">> => <<"x">>}}, #{<<"timeout">> => <<"soon">>},
        #{<<"image">> => <<"maybe">>}, #{<<"encoding">> => <<"base17">>}, #{<<"input-encoding">> => <<"x">>},
        #{<<"input-encoding">> => <<"base64url">>, <<"body">> => <<"!">>},
        #{<<"input-encoding">> => <<"json">>, <<"body">> => <<"{}">>},
        #{<<"kernel">> => <<"fn f() {}">>}, #{<<"kernel-id">> => 7}, #{<<"entry-point">> => 7},
        #{<<"output-size">> => <<"4.5">>}, #{<<"output-size">> => -1}, #{<<"immediates">> => <<"a">>}
    ]].

%% Tables of Lua come as lists or as numbered maps, numbers as floats.
lists_of_lua() ->
    ?assertMatch({ok, #{<<"body">> := <<2, 6>>}}, run((double())#{<<"body">> => [1.0, 3.0]})),
    ?assertMatch({ok, #{<<"body">> := <<2, 6>>}}, run((double())#{<<"body">> => #{<<"1">> => 1, <<"2">> => 3}})),
    ?assertMatch({error, #{<<"status">> := 400}}, run((double())#{<<"body">> => [1.5]})),
    ?assertMatch({error, #{<<"status">> := 400}}, run((double())#{<<"body">> => #{<<"2">> => 3}})).

%% A caller cannot take longer than the operator lets jobs take.
time_limit() ->
    Options = fun(Opts) -> {ok, Read} = kem_options:read(Opts), Read end,
    ?assertEqual(#{timeout => 30000}, kem_policy:time_limit(#{timeout => 90000}, Options(#{}))),
    ?assertEqual(#{timeout => 500}, kem_policy:time_limit(#{timeout => 90000}, Options(#{kem_job_timeout_ms => <<"500">>}))),
    % As elsewhere, the environment's word comes first.
    true = os:putenv("KEM_JOB_TIMEOUT_MS", "700"),
    ?assertEqual(#{timeout => 700}, kem_policy:time_limit(#{timeout => 90000}, Options(#{kem_job_timeout_ms => 500}))),
    true = os:unsetenv("KEM_JOB_TIMEOUT_MS"),
    ?assertThrow({kem, {invalid_argument, _}},
                 kem_policy:time_limit(#{timeout => 1}, Options(#{kem_job_timeout_ms => <<"soon">>}))),
    ?assertEqual(#{timeout => 20}, kem_policy:time_limit(#{timeout => 20}, Options(#{}))),
    ?assertEqual(#{}, kem_policy:time_limit(#{}, Options(#{}))),
    Slow = #{<<"kernel-id">> => kernel(slow), <<"body">> => binary:copy(<<1, 2, 3, 4>>, 1000000), <<"timeout">> => 1},
    ?assertMatch({failure, #{<<"status">> := 504, <<"error-class">> := <<"timeout">>}}, run(Slow)).

inline_source() ->
    Source = <<"@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
               "@compute @workgroup_size(1) fn main() { b[0] = 7u; }">>,
    Call = #{<<"kernel">> => Source, <<"body">> => <<0:32>>},
    ?assertMatch({error, #{<<"status">> := 403, <<"error-class">> := <<"forbidden">>}}, run(Call)),
    {ok, Response} = run(Call, #{kem_inline_source => <<"true">>}),
    ?assertMatch(#{<<"body">> := <<7:32/little>>, <<"kernel-verification">> := <<"none">>}, Response),
    ?assertNot(is_map_key(<<"kernel-id">>, Response)),
    ?assertMatch({error, #{<<"status">> := 403}},
                 run(Call, #{kem_inline_source => true, kem_allow_kernels => kernel(double)})),
    Json = #{<<"content-type">> => <<"application/json">>,
             <<"body">> => <<"{\"kernel\":\"fn main( {}\",\"input\":[0]}">>},
    ?assertMatch({error, #{<<"status">> := 400, <<"error-class">> := <<"invalid_kernel">>}},
                 run(Json, #{kem_inline_source => 1})).

kernels() ->
    Forbidden = {error, 403},
    Answer = fun(Opts) ->
        {Tag, #{<<"status">> := Status}} = run(double(), Opts),
        {Tag, #{<<"status">> := Status}} = dev_kem:execute_kernel(?DEVICE, double(), Opts),
        {Tag, Status}
    end,
    Double = kernel(double),
    Other = kernel(glitch),
    ?assertEqual({ok, 200}, Answer(#{kem_allow_kernels => <<Other/binary, ", ", Double/binary>>})),
    ?assertEqual({ok, 200}, Answer(#{kem_allow_kernels => [Double]})),
    ?assertEqual({ok, 200}, Answer(#{kem_allow_kernels => #{<<"1">> => Double}})),
    ?assertEqual(Forbidden, Answer(#{kem_allow_kernels => Other})),
    ?assertEqual(Forbidden, Answer(#{kem_allow_kernels => <<>>})),
    ?assertEqual(Forbidden, Answer(#{kem_deny_kernels => Double})),
    ?assertEqual({ok, 200}, Answer(#{kem_deny_kernels => Other})),
    ?assertEqual(Forbidden, Answer(#{kem_allow_kernels => Double, kem_deny_kernels => Double})).

%% Who is served is who signed, if the signature holds.
callers() ->
    Status = fun(Message, Opts) ->
        {_, #{<<"status">> := Status}} = run(maps:merge(double(), Message), Opts),
        Status
    end,
    Alice = #{<<"signers">> => [<<"alice">>], <<"signed_path">> => <<"/~kem@1.0/run">>},
    Forged = Alice#{<<"signed_path">> => <<"/elsewhere">>},
    Only = #{kem_allow_callers => <<"alice,bob">>},
    ?assertEqual([200, 403, 403], [Status(Message, Only) || Message <- [Alice, Forged, #{}]]),
    ?assertEqual(200, Status(Forged, Only#{force_signed_requests => true})),
    ?assertEqual([200, 200], [Status(Message, #{kem_allow_callers => <<"alice,unsigned">>}) || Message <- [Alice, #{}]]),
    ?assertEqual([403, 200], [Status(Message, #{kem_deny_callers => <<"alice">>}) || Message <- [Alice, #{}]]),
    ?assertEqual([200, 403], [Status(Message, #{kem_deny_callers => <<"unsigned">>}) || Message <- [Alice, #{}]]).

%% No caller has more jobs under way than the operator allows; one that dies has none.
caller_limit() ->
    Opts = #{kem_max_jobs_per_caller => <<"2">>},
    Signed = fun(Call, Who) -> Call#{<<"signers">> => [Who], <<"signed_path">> => <<"/~kem@1.0/run">>} end,
    Answer = fun(Call) ->
        {Tag, #{<<"status">> := Status}} = run(Call, Opts),
        {Tag, Status}
    end,
    Slow = #{<<"kernel-id">> => kernel(slow), <<"body">> => binary:copy(<<1, 2, 3, 4>>, 1000000)},
    Long = [spawn_monitor(fun() -> run(Signed(Slow, Who), Opts) end) || Who <- [<<"alice">>, <<"alice">>, <<"bob">>]],
    ?assertEqual(ok, until(fun() -> {ok, #{queued := Queued}} = kem:stats(), Queued =:= 3 end)),
    {failure, Refusal} = run(Signed(double(), <<"alice">>), Opts),
    ?assertMatch(#{<<"status">> := 429, <<"retry-after">> := <<"1">>, <<"error-class">> := <<"caller_busy">>,
                   <<"body">> := <<_, _/binary>>}, Refusal),
    ?assertMatch({failure, #{<<"status">> := 429}},
                 dev_kem:compile(?DEVICE, (Signed(double(), <<"alice">>))#{<<"path">> => <<"run">>}, Opts)),
    {ok, #{<<"status">> := 200}} =
        dev_kem:stats(?DEVICE, (Signed(#{}, <<"alice">>))#{<<"path">> => <<"run">>}, Opts),
    ?assertEqual([{ok, 200}, {ok, 200}, {error, 404}],
                 [Answer(Signed(double(), <<"bob">>)), Answer(double()), Answer((double())#{<<"kernel-id">> => kernel(no)})]),
    [begin
        exit(Pid, kill),
        receive {'DOWN', Monitor, process, Pid, killed} -> ok end
    end || {Pid, Monitor} <- Long],
    ?assertEqual(ok, until(fun() -> Answer(Signed(double(), <<"alice">>)) =:= {ok, 200} end)),
    ?assertEqual([{ok, 200}], lists:usort([Answer(double()) || _ <- lists:seq(1, 20)])),
    % The process that counts may end: another begins anew.
    {ok, Entry} = kem_callers:enter([<<"carol">>], 1),
    {error, full} = kem_callers:enter([<<"carol">>], 1),
    exit(whereis(kem_callers), kill),
    ?assertEqual(ok, until(fun() -> whereis(kem_callers) =:= undefined end)),
    {ok, Later} = kem_callers:enter([<<"carol">>], 1),
    ok = kem_callers:leave(Entry),
    ?assertEqual({error, full}, kem_callers:enter([<<"carol">>], 1)),
    ok = kem_callers:leave(Later),
    ?assertMatch({ok, _}, kem_callers:enter([<<"carol">>], 1)),
    ?assertMatch({error, #{<<"status">> := 400}}, run(double(), #{kem_max_jobs_per_caller => 0})).

until(Condition) -> until(Condition, 500).

until(_, 0) ->
    never;
until(Condition, Tries) ->
    case Condition() of
        true -> ok;
        false ->
            timer:sleep(10),
            until(Condition, Tries - 1)
    end.

compile() ->
    Opts = #{kem_inline_source => true},
    Compile = fun(Arguments) -> dev_kem:compile(?DEVICE, Arguments, Opts) end,
    {ok, #{<<"body">> := Body}} = Compile(#{<<"kernel">> => <<"@compute @workgroup_size(1) fn main() {}">>}),
    ?assertMatch(#{<<"valid">> := true, <<"diagnostics">> := <<>>, <<"origin">> := <<"text">>,
                   <<"entry_points">> := [#{<<"name">> := <<"main">>, <<"workgroup_size">> := [1, 1, 1]}],
                   <<"limits">> := #{<<"workgroup_bytes">> := _}}, hb_json:decode(Body)),
    {ok, #{<<"body">> := Constants}} = dev_kem:compile(?DEVICE, #{<<"kernel-id">> => kernel(constants)}, #{}),
    ?assertMatch(#{<<"overrides">> := [#{<<"name">> := <<"factor">>, <<"type">> := <<"u32">>, <<"has_default">> := true},
                                       #{<<"name">> := <<"offset">>, <<"id">> := 7}],
                   <<"entry_points">> := [#{<<"workgroup_size">> := [64, 1, 1], <<"bindings">> := [
                       #{<<"binding">> := 0, <<"kind">> := <<"storage, read">>, <<"name">> := <<"a">>,
                         <<"type">> := <<"array<u32>">>, <<"min_size">> := 4, <<"element_stride">> := 4},
                       #{<<"binding">> := 1, <<"kind">> := <<"storage, read_write">>}]}]}, hb_json:decode(Constants)),
    ?assertMatch({error, #{<<"status">> := 404}},
                 dev_kem:compile(?DEVICE, #{<<"kernel-id">> => kernel(nowhere)}, #{})),
    ?assertMatch({error, #{<<"status">> := 400, <<"error-class">> := <<"invalid_kernel">>}},
                 dev_kem:compile(?DEVICE, #{<<"kernel-id">> => kernel(syntax_error)}, #{})),
    % A kernel that is too much for this device says so of its entry point.
    {ok, #{<<"body">> := Big}} = dev_kem:compile(?DEVICE, #{<<"kernel-id">> => kernel(big_workgroup)}, #{}),
    ?assertMatch(#{<<"entry_points">> := [#{<<"error">> := _}]}, hb_json:decode(Big)),
    Wrong = <<"fn main( {}\nfn g() -> i32 { return 1u; }\n">>,
    {error, #{<<"status">> := 400, <<"body">> := Text}} = Compile(#{<<"kernel">> => Wrong}),
    ?assertEqual({error, {invalid_kernel, Text}}, kem:check(Wrong)),
    case filelib:is_regular("build/kem") of
        true -> ?assertEqual(Text, checked_by_cli(Wrong));
        false -> ?debugMsg("skipped: what the command line says, as build/kem has not been built (make build)")
    end,
    ?assertMatch({error, #{<<"status">> := 403}},
                 dev_kem:compile(?DEVICE, #{<<"kernel">> => <<"fn f() {}">>}, #{})).

%% What `kem check' says of a file that is called as the source of a call is.
checked_by_cli(Wgsl) ->
    Folder = kem_test_lib:directory("cli"),
    ok = file:write_file(filename:join(Folder, "kernel"), Wgsl),
    Port = open_port({spawn_executable, filename:absname("build/kem")},
                     [{args, ["check", "kernel"]}, {cd, Folder}, binary, exit_status, stderr_to_stdout]),
    collect(Port, <<>>).

collect(Port, Told) ->
    receive
        {Port, {data, More}} -> collect(Port, <<Told/binary, More/binary>>);
        {Port, {exit_status, Status}} ->
            ?assertEqual(1, Status),
            Told
    end.

tells() ->
    {ok, #{<<"body">> := Stats}} = dev_kem:stats(?DEVICE, #{}, #{}),
    ?assertMatch(#{<<"jobs_done">> := _, <<"queued">> := _}, hb_json:decode(Stats)),
    {ok, #{<<"body">> := Adapters}} = dev_kem:adapters(?DEVICE, #{}, #{}),
    ?assertMatch([#{<<"in_use">> := true, <<"name">> := _}],
                 [Adapter || #{<<"in_use">> := true} = Adapter <- hb_json:decode(Adapters)]).

%% What the host has yet to load comes as a tuple.
loads() ->
    ?assertMatch({error, #{<<"status">> := 400}}, run((double())#{<<"params">> => {link, <<"x">>, #{}}})).

%% The hook of the node's start: tells of bad options, and lets the node start.
start() ->
    Node = fun(Options) -> maps:merge(#{preloaded_devices => [], event_listener => self()}, Options) end,
    Events = fun(Options) ->
        Message = Node(Options),
        {ok, #{<<"body">> := Message}} = dev_kem:start(?DEVICE, #{<<"body">> => Message}, Message),
        [Event || {hb_event, _, Event} <- kem_test_lib:flush()]
    end,
    ?assertMatch([{started, _}], Events(#{})),
    ?assertMatch([{kem_option, _}, {kem_option, _}],
                 Events(#{kem_nonsense => 1, kem_inline_source => <<"perhaps">>})),
    ?assertMatch({error, #{<<"status">> := 403}}, dev_kem:start(?DEVICE, #{<<"body">> => #{<<"a">> => 1}}, #{})).

%%% Other nodes.

hook(Nodes, Opts) ->
    Request = #{<<"path">> => <<"/~kem@1.0/run">>, <<"method">> => <<"POST">>, <<"body">> => <<1>>, <<"host">> => <<"h">>},
    Routes = [#{<<"template">> => <<"^/~kem@1.0/.*">>, <<"nodes">> => [#{<<"prefix">> => Node} || Node <- maps:keys(Nodes)]}],
    {ok, #{<<"body">> := Body}} =
        dev_kem:relay(?DEVICE, #{<<"request">> => Request, <<"body">> => [local]},
                      maps:merge(#{routes => Routes, http_nodes => maps:filter(fun(_, F) -> is_function(F) end, Nodes)},
                                 Opts)),
    Body.

relay() ->
    Good = fun(<<"/~kem@1.0/run">>, Message) ->
        false = is_map_key(<<"host">>, Message),
        {ok, #{<<"status">> => 200, <<"body">> => <<2>>, <<"device">> => <<"evil@1.0">>}}
    end,
    Busy = fun(_, _) -> {failure, #{<<"status">> => 503, <<"body">> => <<"busy">>}} end,
    Full = fun(_, _) -> {failure, #{<<"status">> => 429, <<"body">> => <<"full">>}} end,
    Refuses = fun(_, _) -> {error, #{<<"status">> => 400, <<"body">> => <<"no">>}} end,
    % Whichever node comes first, the good one answers, and its answer names no device.
    [?assertEqual([#{<<"status">> => 200, <<"body">> => <<2>>}],
                  hook(#{<<"dead">> => gone, <<"busy">> => Busy, <<"full">> => Full, <<"good">> => Good},
                       #{kem_relay_attempts => 4})) || _ <- lists:seq(1, 20)],
    ?assertMatch([#{<<"status">> := 400, <<"body">> := <<"no">>}], hook(#{<<"refuses">> => Refuses}, #{})),
    ?assertMatch([#{<<"status">> := 503, <<"body">> := <<"busy">>}], hook(#{<<"busy">> => Busy, <<"dead">> => gone}, #{})),
    ?assertMatch([#{<<"status">> := 502, <<"error-class">> := <<"gateway_unavailable">>}],
                 hook(#{<<"dead">> => gone, <<"gone">> => gone}, #{})),
    % What is not the device's is done here, and so is what no route matches.
    Other = #{<<"request">> => #{<<"path">> => <<"/~meta@1.0/info">>}, <<"body">> => [local]},
    ?assertEqual({ok, #{<<"body">> => [local]}}, dev_kem:relay(?DEVICE, Other, #{})),
    ?assertEqual([local], hook(#{<<"good">> => Good}, #{routes => []})),
    ?assertMatch({error, #{<<"status">> := 403}}, dev_kem:relay(?DEVICE, #{}, #{})).

%% Every node gets its share, and one try is one node.
relay_spreads() ->
    Self = self(),
    Node = fun(Name) -> fun(_, _) -> Self ! Name, {ok, #{<<"status">> => 200}} end end,
    [hook(#{<<"one">> => Node(one), <<"two">> => Node(two)}, #{}) || _ <- lists:seq(1, 60)],
    ?assertEqual([one, two], lists:usort(kem_test_lib:flush())),
    Failing = fun(Name) -> fun(_, _) -> Self ! Name, {failure, #{<<"status">> => 503}} end end,
    Nodes = maps:from_list([{Name, Failing(Name)} || Name <- [<<"f1">>, <<"f2">>, <<"f3">>, <<"f4">>]]),
    [#{<<"status">> := 503}] = hook(Nodes, #{kem_relay_attempts => 2}),
    ?assertEqual(2, length(kem_test_lib:flush())).

%%% Prices and uploads.

prices() ->
    Double = kernel(double),
    Price = fun(Key, Arguments, Opts) ->
        Request = Arguments#{<<"path">> => <<"/~kem@1.0/", Key/binary>>},
        {ok, Price} = dev_kem:estimate(?DEVICE, #{<<"request">> => Request, <<"path">> => <<"estimate">>}, Opts),
        {ok, Price} = dev_kem:price(?DEVICE, #{<<"request">> => Request, <<"body">> => #{}, <<"path">> => <<"price">>}, Opts),
        Price
    end,
    Call = #{<<"kernel-id">> => Double, <<"body">> => binary:copy(<<1>>, 1048577)},
    ?assertEqual(1, Price(<<"run">>, Call, #{})),
    Rates = #{kem_price_call => <<"10">>, kem_price_input_mib => 5, kem_price_output_mib => 2},
    ?assertEqual(10 + 2 * 5 + 2 * 2, Price(<<"run">>, Call, Rates)),
    ?assertEqual(10 + 2 * 5 + 4 * 2, Price(<<"execute-kernel">>, Call#{<<"output-size-hint">> => 3}, Rates)),
    ?assertEqual(10 + 2 * 5 + 1 * 2, Price(<<"run">>, Call#{<<"output-size">> => <<"4">>}, Rates)),
    ?assertEqual(3 * 24, Price(<<"run">>, Call, Rates#{kem_price_kernels => <<Double/binary, "=3">>})),
    ?assertEqual(0, Price(<<"run">>, Call#{<<"signers">> => [<<"me">>]}, Rates#{operator => <<"me">>})),
    ?assertEqual(10, Price(<<"run">>, #{<<"kernel-id">> => Double}, Rates)),
    ?assertEqual(3, Price(<<"info">>, #{}, Rates)),
    ?assertMatch({error, _}, dev_kem:estimate(?DEVICE, #{<<"request">> => Call#{<<"path">> => <<"/~kem@1.0/run">>}},
                                              #{kem_price_call => <<"dear">>})).

upload() ->
    Self = self(),
    Image = kem_test_lib:png(1, 1, <<9, 8, 7, 255>>),
    Call = #{<<"kernel-id">> => kernel(pixelize), <<"params">> => <<"1,1,1,0">>, <<"body">> => Image},
    Service = #{kem_upload => <<"on_request">>, kem_upload_endpoint => <<"http://127.0.0.1:9/upload?a=b">>,
                priv_kem_upload_token => <<"secret">>,
                http_answer => fun(Request) -> Self ! Request, {ok, 200, [], <<"{\"optimistic_hash\":\"abc\"}">>} end},
    Run = fun(Arguments, Opts) -> dev_kem:execute_kernel_with_params(?DEVICE, maps:merge(Call, Arguments), Opts) end,
    ?assertMatch({ok, #{<<"body">> := ?PNG}}, Run(#{}, Service)),
    ?assertMatch({ok, #{<<"body">> := <<"abc">>}}, Run(#{<<"upload">> => <<"true">>}, Service)),
    [#{peer := <<"http://127.0.0.1:9">>, path := <<"/upload?a=b">>, method := <<"POST">>, body := ?PNG,
       headers := #{<<"authorization">> := <<"Bearer secret">>, <<"content-type">> := <<"image/png">>}}] =
        kem_test_lib:flush(),
    ?assertMatch({ok, #{<<"body">> := <<"abc">>}}, Run(#{}, Service#{kem_upload => always})),
    ?assertMatch({error, #{<<"status">> := 403}}, Run(#{<<"upload">> => true}, #{})),
    Failing = Service#{http_answer => fun(_) -> {error, closed} end},
    ?assertMatch({failure, #{<<"status">> := 502}}, Run(#{<<"upload">> => true}, Failing)),
    ?assertMatch({error, #{<<"status">> := 400}},
                 Run(#{<<"upload">> => true}, Service#{kem_upload_endpoint => <<"nowhere">>})),
    % No path is that of the root.
    ?assertMatch({ok, _}, Run(#{<<"upload">> => true}, Service#{kem_upload_endpoint => <<"https://127.0.0.1">>})),
    ?assertMatch([_, #{peer := <<"https://127.0.0.1:443">>, path := <<"/">>}], kem_test_lib:flush()),
    % A fault of ours is said to be one, and nothing more.
    Faulty = Service#{http_answer => fun(_) -> error({secret, self()}) end, event_listener => Self},
    {error, Answer} = Run(#{<<"upload">> => true}, Faulty),
    ?assertMatch(#{<<"status">> := 500, <<"error-class">> := <<"internal">>}, Answer),
    ?assertEqual(nomatch, binary:match(maps:get(<<"body">>, Answer), <<"secret">>)),
    ?assertMatch([{hb_event, error, {kem_crashed, execute_kernel_with_params, {error, {secret, _}, [_ | _]}}} | _],
                 kem_test_lib:flush()).

upgrade() ->
    Call = fun() ->
        {ok, #{<<"body">> := Body}} = run(double(), #{kem_max_jobs_per_caller => 100}),
        Body
    end,
    ?assertEqual({[<<2, 6, 10, 14>>], true}, kem_upgrade:while_calling(Call)).
