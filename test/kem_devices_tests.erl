%%% @doc Several devices: the option `device', and calls that are spread. Machines that tests run on seldom have two:
%%% the first device is opened twice there, which is the same for all that is looked at here.
-module(kem_devices_tests).

-include_lib("eunit/include/eunit.hrl").

-export([of_two/0]).

-define(TWO, [{"KEM_DEVICE", "0,0"}, {"KEM_GATEWAYS", ""}, {"KEM_CACHE_DIR", kem_test_lib:directory("devices")}]).
-define(DOUBLE, <<"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg">>).
-define(INPUT, <<1:32/little, 3:32/little>>).
-define(OUTPUT, <<2:32/little, 6:32/little>>).

devices_test_() ->
    kem_test_lib:patient([fun two/0, fun one/0, fun halt_at_once/0]).

two() ->
    ?assertEqual({ok, ok}, kem_test_lib:child(?TWO, "kem_devices_tests:of_two()")).

%% With one device there is one to choose.
one() ->
    ok = kem_test_lib:start(),
    Run = fun(Device) -> kem:run(?DOUBLE, ?INPUT, #{device => Device}) end,
    ?assertEqual({ok, ?OUTPUT}, Run(0)),
    ?assertMatch({error, {invalid_argument, <<"there is no device 1:", _/binary>>}}, Run(1)),
    ?assertMatch({error, {invalid_argument, _}}, Run(-1)),
    ?assertMatch({error, {invalid_argument, _}}, Run(first)),
    ?assertMatch({error, {invalid_argument, _}}, Run(1 bsl 70)),
    ?assertMatch({error, {invalid_argument, _}}, kem:buffer(8, #{device => 1})),
    ?assertMatch({error, {invalid_argument, _}}, kem:buffer(8, #{device => first})),
    ?assertMatch({error, {invalid_argument, _}}, kem:buffer(8, #{device => 0, size => 8})),
    ?assertMatch({error, {invalid_argument, _}},
                 kem:pipeline([#{kernel => ?DOUBLE, input => ?INPUT, device => 0}], #{})),
    {ok, #{devices := Devices}} = kem:stats(),
    ?assertMatch([#{name := _, open := true, losses := 0, index := _}], Devices).

%% A VM may end while devices are being opened.
halt_at_once() ->
    ?assertEqual({ok, ok}, kem_test_lib:child(?TWO, "kem:configure(#{})")).

%% @private In a VM with two devices.
of_two() ->
    Device = fun(Options) ->
        {ok, ?OUTPUT, #{device := Device}} = kem:run(?DOUBLE, ?INPUT, Options#{report => true}),
        Device
    end,
    [0, 1, 1, 0] = [Device(#{device => N}) || N <- [0, 1, 1, 0]],
    0 = Device(#{}),
    {ok, [?OUTPUT], #{device := 1}} = kem:run_many(?DOUBLE, [?INPUT], #{device => 1, report => true}),
    {error, {invalid_argument, <<"there is no device 2: the engine has 2,", _/binary>>}} =
        kem:run(?DOUBLE, ?INPUT, #{device => 2}),
    ok = buffers(),
    ok = spread(),
    {ok, #{devices := [#{index := 0}, #{index := 0}] = Devices, in_flight_bytes := 0}} = kem:stats(),
    [true = Done > 0 || #{jobs_done := Done, open := true, jobs_in_flight := 0} <- Devices],
    {ok, Adapters} = kem_nif:ask(adapters),
    [Used] = [Adapter || #{in_use := true} = Adapter <- Adapters],
    {ok, First} = kem:adapter_info(),
    First = maps:remove(in_use, Used),
    ok.

buffers() ->
    {ok, A} = kem:buffer(?INPUT, #{device => 1}),
    {ok, B} = kem:buffer(8, #{device => 0}),
    {ok, C} = kem:buffer(<<1>>, #{device => 1, size => 8}),
    {ok, #{devices := [#{resident_bytes := 8}, #{resident_bytes := 16}]}} = kem:stats(),
    {ok, C, #{device := 1}} = kem:run(?DOUBLE, A, #{output => C, report => true}),
    {ok, ?OUTPUT} = kem:read(C),
    {error, {invalid_argument, <<"the buffers are on devices 0 and 1", _/binary>>}} =
        kem:run(?DOUBLE, A, #{output => B}),
    {error, {invalid_argument, <<"the buffers are on device 1, ", _/binary>>}} =
        kem:run(?DOUBLE, A, #{output => C, device => 0}),
    {ok, []} = kem:pipeline([#{kernel => ?DOUBLE, input => ?INPUT, output => B}], #{}),
    {ok, ?OUTPUT} = kem:read(B),
    ok.

%% Many processes find both devices.
spread() ->
    {ok, #{devices := [#{jobs_done := Before}, _]}} = kem:stats(),
    spread(Before, erlang:monotonic_time(second) + 60).

spread(Before, End) ->
    Callers = [spawn_monitor(fun() ->
        [{ok, ?OUTPUT} = kem:run(?DOUBLE, ?INPUT, #{}) || _ <- lists:seq(1, 20)]
    end) || _ <- lists:seq(1, 20)],
    [receive {'DOWN', Monitor, process, Caller, Reason} -> normal = Reason end || {Caller, Monitor} <- Callers],
    {ok, #{devices := [#{jobs_done := First}, #{jobs_done := Second}]}} = kem:stats(),
    if
        First > Before, Second > 20 -> ok;
        true ->
            true = erlang:monotonic_time(second) < End,
            spread(Before, End)
    end.
