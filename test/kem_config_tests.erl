%%% @doc Configuration: which value wins, and what a bad one, a missing driver or a dead gateway answers. Each in a VM
%%% of its own.
-module(kem_config_tests).

-include_lib("eunit/include/eunit.hrl").

-import(kem_test_lib, [child/2, child/3]).

config_test_() ->
    kem_test_lib:patient([
        fun default_store/0, fun application_environment/0, fun environment_wins/0, fun configure_wins/0,
        fun configure_twice/0, fun bad_values/0, fun bad_values_stay_errors/0, fun unknown_settings/0,
        fun no_driver/0, fun language_extensions/0, fun unknown_device/0, fun gateway_down/0, fun gateway_down_with_store/0, fun disk_cache/0
    ]).

-define(RUN, "kem:run(<<\"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg\">>, <<1, 3, 5, 7>>, #{})").
-define(DOUBLED, {ok, <<2, 6, 10, 14>>}).

%% A VM with a cache directory of its own and nothing else set.
fresh(Environment, Expression) ->
    fresh(Environment, Expression, []).

fresh(Environment, Expression, Arguments) ->
    Clean = #{"KEM_CACHE_DIR" => kem_test_lib:directory("cache"), "KEM_KERNEL_STORE" => false,
              "KEM_GATEWAYS" => false},
    case child(maps:to_list(maps:merge(Clean, maps:from_list(Environment))), Expression, Arguments) of
        {ok, Value} -> Value;
        Failure -> Failure
    end.

default_store() ->
    ?assertEqual(?DOUBLED, fresh([], ?RUN)).

%% An empty store finds nothing.
application_environment() ->
    Empty = empty_store(),
    ?assertMatch({error, {kernel_not_found, _}}, fresh([], ?RUN, ["-kem", "kernel_store", quoted(Empty)])),
    ?assertMatch({error, {kernel_not_found, _}},
                 fresh([], "application:load(kem), application:set_env(kem, kernel_store, " ++ quoted(Empty) ++ "), "
                       ++ ?RUN)).

environment_wins() ->
    Empty = empty_store(),
    Store = store(),
    ?assertEqual(?DOUBLED, fresh([{"KEM_KERNEL_STORE", Store}], ?RUN, ["-kem", "kernel_store", quoted(Empty)])),
    ?assertEqual({ok, ?DOUBLED},
                 fresh([{"KEM_KERNEL_STORE", Store}],
                       "{kem:configure(#{kernel_store => " ++ quoted(Empty) ++ "}), " ++ ?RUN ++ "}")).

configure_wins() ->
    Empty = empty_store(),
    ?assertMatch({error, {kernel_not_found, _}},
                 fresh([], "ok = kem:configure(#{kernel_store => " ++ quoted(Empty) ++ "}), " ++ ?RUN,
                       ["-kem", "kernel_store", quoted(store())])).

configure_twice() ->
    ?assertEqual({ok, {error, already_running}}, fresh([], "{kem:configure(#{}), kem:configure(#{})}")).

%% Every kind of bad value is told, and by every call.
bad_values() ->
    Bad = fun(Setting, Value) ->
        fresh([{"KEM_VALIDATION", false}], lists:flatten(io_lib:format("kem:configure(#{~p => ~p})", [Setting, Value])))
    end,
    [?assertMatch({{error, {invalid_argument, _}}, _}, {Bad(Setting, Value), {Setting, Value}}) || {Setting, Value} <- [
        {gateways, ["ftp://example.org"]}, {gateways, [1.5]}, {gateways, {a}}, {kernel_store, "/nonexistent"},
        {queue_length, 0}, {queue_length, many}, {queue_length, [1.0]}, {job_timeout_ms, -1}, {validation, 5},
        {max_output_bytes, "lots"}, {max_in_flight_bytes, 0}, {max_resident_bytes, -1}, {language_extensions, none}
    ]],
    ?assertMatch({error, {invalid_argument, _}}, fresh([], "kem:configure([])")),
    ?assertMatch({error, {invalid_argument, _}}, fresh([], "kem:configure(#{\"gateways\" => []})")).

bad_values_stay_errors() ->
    {First, Second} = fresh([{"KEM_QUEUE_LENGTH", "-3"}], "{" ++ ?RUN ++ ", kem:adapter_info()}"),
    {error, {invalid_argument, Message}} = First,
    ?assertEqual(First, Second),
    ?assertMatch({match, _}, re:run(Message, "KEM_QUEUE_LENGTH")).

unknown_settings() ->
    {error, {invalid_argument, Message}} = fresh([], ?RUN, ["-kem", "kernel_stroe", "here"]),
    ?assertMatch({match, _}, re:run(Message, "KEM_KERNEL_STROE")).

no_driver() ->
    Environment = [{"VK_DRIVER_FILES", "/nonexistent"}, {"VK_ICD_FILENAMES", "/nonexistent"}],
    {Run, Raised, Adapter, Hello} =
        fresh(Environment,
              "{" ++ ?RUN ++ ", catch kem_nif:adapter_info(), kem:adapter_info(), kem_nif:hello()}"),
    ?assertMatch({error, {no_device, _}}, Run),
    ?assertMatch({'EXIT', {{no_device, _}, _}}, Raised),
    ?assertMatch({error, {no_device, _}}, Adapter),
    ?assertEqual(<<"Hello world!">>, Hello).

%% The same kernel with each setting, and what kem:extensions/0 says of it.
language_extensions() ->
    Call = "{kem:check(<<\"@compute @workgroup_size(1) fn f(@builtin(workgroup_index) i: u32) {}\">>), "
           "kem:extensions()}",
    {{ok, <<>>}, {ok, All}} = fresh([], Call),
    ?assertMatch(#{<<"linear_indexing">> := #{kind := language, status := available, needs := <<>>},
                   <<"dual_source_blending">> := #{kind := enable, status := no_device}}, All),
    First = fresh([], "ok = kem:configure(#{language_extensions => first}), " ++ Call),
    ?assertMatch({{error, {invalid_kernel, _}}, {ok, #{<<"linear_indexing">> := #{status := switched_off},
                                                       <<"pointer_composite_access">> := #{status := available}}}},
                 First),
    ?assertEqual(First, fresh([{"KEM_LANGUAGE_EXTENSIONS", "first"}], Call)),
    ?assertEqual(First, fresh([], Call, ["-kem", "language_extensions", "first"])).

unknown_device() ->
    ?assertMatch({error, {no_device, _}}, fresh([{"KEM_DEVICE", "no such device"}], ?RUN)).

gateway_down() ->
    {Unknown, Raised, Text} =
        fresh([{"KEM_GATEWAYS", "http://127.0.0.1:1"}, {"KEM_KERNEL_STORE", empty_store()}],
              "{" ++ ?RUN ++ ", catch kem_nif:execute_kernel(<<\"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg\">>, "
              "<<1>>, 1), kem:check(<<\"fn f() {}\">>)}"),
    ?assertMatch({error, {gateway_unavailable, _}}, Unknown),
    ?assertMatch({'EXIT', {{gateway_unavailable, _}, _}}, Raised),
    ?assertMatch({ok, _}, Text).

gateway_down_with_store() ->
    ?assertEqual(?DOUBLED, fresh([{"KEM_GATEWAYS", "http://127.0.0.1:1"}, {"KEM_KERNEL_STORE", store()}], ?RUN)).

%% Two VMs share a cache; the second one's kernel comes out of it.
disk_cache() ->
    Cache = kem_test_lib:directory("cache"),
    Environment = [{"KEM_CACHE_DIR", Cache}, {"KEM_KERNEL_STORE", store()}],
    ?assertEqual(?DOUBLED, fresh(Environment, ?RUN)),
    ?assertNotEqual([], filelib:wildcard("**", Cache)),
    ?assertEqual(?DOUBLED, fresh(Environment, ?RUN)).

store() ->
    Source = proplists:get_value(source, ?MODULE:module_info(compile)),
    filename:join([filename:dirname(filename:dirname(Source)), "kernels"]).

empty_store() ->
    Directory = kem_test_lib:directory("empty"),
    ok = file:write_file(filename:join(Directory, "index.json"), "{}"),
    Directory.

quoted(Path) ->
    lists:flatten(io_lib:format("~p", [Path])).
