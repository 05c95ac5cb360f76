%%% @doc The device, called as HyperBEAM calls it, with stand-ins for the host's modules.
-module(dev_kem_tests).

-include_lib("eunit/include/eunit.hrl").

-import(kem_test_lib, [kernel/1]).

device_test_() ->
    {setup, fun kem_test_lib:start/0, kem_test_lib:patient([
        fun exports/0, fun info/0, fun seed_example/0, fun lua_example/0, fun both_spellings/0, fun raw_body/0,
        fun base_message/0, fun params_as_json/0, fun params_beside_raw/0, fun image/0, fun encoding/0,
        fun adapter/0, fun bad_bodies/0, fun events/0,
        [{atom_to_list(Name), fun() -> bad_call(Call, Class) end} ||
            {Name, Call, Class} <- kem_test_lib:bad_calls()],
        fun node_options/0
    ])}.

-define(DEVICE, #{<<"device">> => <<"kem@1.0">>}).

resolve(Key, Req) ->
    resolve(?DEVICE, Key, Req).

resolve(Base, Key, Req) ->
    Response = hb_ao:resolve(Base, Req#{<<"path">> => Key}, #{}),
    sound(Response),
    Response.

%% What the host can carry: an integer status, and binaries (or a list or map of them as the body of a success).
sound({ok, #{<<"status">> := 200} = Message}) ->
    [true = is_binary(Value) || {Key, Value} <- maps:to_list(Message), Key =/= <<"status">>, Key =/= <<"body">>];
sound({Tag, #{<<"status">> := Status} = Message}) when Tag =:= error; Tag =:= failure ->
    true = is_integer(Status) andalso Status >= 400,
    [true = is_binary(Value) || {Key, Value} <- maps:to_list(Message), Key =/= <<"status">>];
sound({error, not_found}) ->
    ok.

json(Map) ->
    #{<<"method">> => <<"POST">>, <<"content-type">> => <<"application/json">>, <<"body">> => hb_json:encode(Map)}.

exports() ->
    #{exports := Exports} = dev_kem:info(#{}),
    [?assert(erlang:function_exported(dev_kem, binary_to_atom(binary:replace(Export, <<"-">>, <<"_">>, [global])), 3)) ||
        Export <- Exports],
    ?assertEqual({error, not_found}, resolve(<<"module_info">>, #{})),
    ?assertEqual({error, not_found}, resolve(<<"test">>, #{})).

info() ->
    {ok, #{<<"status">> := 200, <<"body">> := Body}} = resolve(<<"info">>, #{}),
    ?assertMatch(#{<<"version">> := <<"1.0">>, <<"paths">> := #{<<"execute_kernel">> := _}}, Body),
    ?assertMatch(#{<<"wgsl_extensions">> := #{<<"linear_indexing">> := <<"available">>,
                                              <<"clip_distances">> := <<"no_device">>}}, Body).

seed_example() ->
    Body = <<"{\n  \"kernel_id\": \"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg\",\n  \"input_data\": [1,3,5,7],\n"
             "  \"output_size_hint\": 1\n}">>,
    ?assertEqual({ok, #{<<"status">> => 200, <<"content-type">> => <<"application/octet-stream">>,
                        <<"body">> => <<2, 6, 10, 14>>}},
                 resolve(<<"execute_kernel">>, #{<<"method">> => <<"POST">>, <<"body">> => Body,
                                                 <<"content-type">> => <<"application/json">>})),
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14>>}},
                 resolve(<<"execute_kernel">>, json(#{<<"kernel_id">> => kernel(double),
                                                      <<"input_data">> => [1, 3, 5, 7]}))).

%% As ao.resolve calls it: the body is in the request alone, without a content type.
lua_example() ->
    Body = <<"{\"kernel_id\":\"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg\",\"input_data\":[1,3,5,7]}">>,
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14>>}},
                 resolve(<<"execute_kernel">>, #{<<"method">> => <<"POST">>, <<"body">> => Body})).

both_spellings() ->
    Request = json(#{<<"kernel_id">> => kernel(double), <<"input_data">> => [1, 3, 5, 7]}),
    ?assertEqual(resolve(<<"execute_kernel">>, Request), resolve(<<"execute-kernel">>, Request)),
    ?assertEqual(resolve(<<"get_adapter_info">>, #{}), resolve(<<"get-adapter-info">>, #{})).

raw_body() ->
    Request = #{<<"content-type">> => <<"application/octet-stream">>, <<"kernel-id">> => kernel(double),
                <<"body">> => <<1, 3, 5, 7>>},
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14>>}}, resolve(<<"execute_kernel">>, Request)),
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14, 0:32>>}},
                 resolve(<<"execute_kernel">>, Request#{<<"output-size-hint">> => <<"2">>})),
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14, 0:32>>}},
                 resolve(<<"execute_kernel">>, Request#{<<"output_size_hint">> => 2})),
    %% Bytes that look like JSON are bytes all the same.
    ?assertMatch({ok, #{<<"body">> := <<246, 250>>}}, resolve(<<"execute_kernel">>, Request#{<<"body">> => <<"{}">>})),
    ?assertMatch({ok, #{<<"body">> := <<2, 4>>}},
                 resolve(<<"execute_kernel">>, #{<<"kernel_id">> => kernel(double), <<"input_data">> => [1, 2]})).

%% /~kem@1.0&kernel-id=.../execute_kernel
base_message() ->
    Base = #{<<"device">> => <<"kem@1.0">>, <<"kernel-id">> => kernel(double), <<"output-size-hint">> => <<"2">>,
             <<"body">> => <<9, 9>>},
    ?assertMatch({ok, #{<<"body">> := <<18, 18, 0, 0>>}}, resolve(Base, <<"execute_kernel">>, #{})),
    ?assertMatch({ok, #{<<"body">> := <<2, 4, 0, 0>>}},
                 resolve(Base, <<"execute_kernel">>, #{<<"body">> => <<1, 2>>})).

params_as_json() ->
    Input = << <<N:32/little>> || N <- lists:seq(1, 6) >>,
    Request = json(#{<<"kernel_id">> => kernel(add_params), <<"input_data">> => binary_to_list(Input),
                     <<"params">> => [3, 2, 10, 1]}),
    Expected = << <<(N + 10):32/little>> || N <- lists:seq(1, 6) >>,
    ?assertMatch({ok, #{<<"body">> := Expected, <<"content-type">> := <<"application/octet-stream">>}},
                 resolve(<<"execute_kernel_with_params">>, Request)),
    ?assertMatch({ok, #{<<"body">> := Expected}}, resolve(<<"execute-kernel-with-params">>, Request)).

params_beside_raw() ->
    Request = #{<<"kernel-id">> => kernel(add_params), <<"params">> => <<"2, 1, 10, 1">>,
                <<"body">> => <<1:32/little, 2:32/little>>},
    ?assertMatch({ok, #{<<"body">> := <<11:32/little, 12:32/little>>}},
                 resolve(<<"execute_kernel_with_params">>, Request)),
    ?assertMatch({ok, #{<<"body">> := <<11:32/little, 12:32/little>>}},
                 resolve(<<"execute_kernel_with_params">>, Request#{<<"params">> => [2, 1, 10, 1]})).

image() ->
    Png = kem_test_lib:png(1, 1, <<9, 8, 7, 255>>),
    Request = #{<<"kernel-id">> => kernel(pixelize), <<"params">> => <<"1,1,1,0">>, <<"body">> => Png},
    ?assertMatch({ok, #{<<"content-type">> := <<"image/png">>, <<"body">> := <<137, "PNG", _/binary>>}},
                 resolve(<<"execute_kernel_with_params">>, Request)).

encoding() ->
    Arguments = #{<<"kernel_id">> => kernel(double), <<"input_data">> => [1, 3, 5, 7]},
    Body = fun(Encoding) -> resolve(<<"execute_kernel">>, json(Arguments#{<<"encoding">> => Encoding})) end,
    ?assertMatch({ok, #{<<"body">> := [2, 6, 10, 14]}}, Body(<<"list">>)),
    ?assertMatch({ok, #{<<"body">> := <<2, 6, 10, 14>>}}, Body(<<"binary">>)),
    ?assertMatch({error, #{<<"status">> := 400}}, Body(<<"base17">>)).

adapter() ->
    {ok, #{<<"body">> := Body, <<"content-type">> := <<"application/json">>}} = resolve(<<"get_adapter_info">>, #{}),
    ?assertEqual(kem_nif:adapter_info(), Body).

bad_call({params, [Kernel, Input, Params]}, Class) ->
    refused(<<"execute_kernel_with_params">>,
            #{<<"kernel_id">> => Kernel, <<"input_data">> => binary_to_list(Input), <<"params">> => words(Params)},
            Class);
bad_call([Kernel, Input, Hint], Class) ->
    refused(<<"execute_kernel">>,
            #{<<"kernel_id">> => Kernel, <<"input_data">> => binary_to_list(Input), <<"output_size_hint">> => Hint},
            Class).

%% Params come as words over HTTP: what is no word can't.
words(Params) -> [case Word of <<Value:32/little>> -> Value; _ -> 1 bsl 32 end || Word <- split(Params)].

split(<<Word:4/binary, Rest/binary>>) -> [Word | split(Rest)];
split(<<>>) -> [];
split(Rest) -> [Rest].

refused(Key, Arguments, Class) ->
    {Tag, #{<<"status">> := Status, <<"body">> := Body, <<"error-class">> := Told}} = resolve(Key, json(Arguments)),
    ?assert(lists:member(Told, [atom_to_binary(Class), <<"invalid_argument">>])),
    ?assertEqual(kem:http_status({binary_to_atom(Told), Body}), Status),
    ?assertEqual(lists:member(Status, [502, 503, 504]), Tag =:= failure),
    ?assert(byte_size(Body) > 0).

bad_bodies() ->
    Refused = fun(Key, Req) -> ?assertMatch({{error, #{<<"status">> := 400}}, _}, {resolve(Key, Req), Req}) end,
    Json = <<"application/json">>,
    [Refused(Key, Req) || Key <- [<<"execute_kernel">>, <<"execute_kernel_with_params">>], Req <- [
        #{}, #{<<"body">> => <<>>}, #{<<"body">> => <<"{">>}, #{<<"body">> => <<"[1]">>}, #{<<"body">> => #{}},
        #{<<"body">> => <<"{}">>}, #{<<"body">> => <<255, 254>>, <<"content-type">> => Json},
        #{<<"kernel-id">> => kernel(double)},
        #{<<"kernel-id">> => 5, <<"body">> => <<1>>},
        json(#{<<"kernel_id">> => kernel(double)}),
        json(#{<<"input_data">> => [1]}),
        json(#{<<"kernel_id">> => 1, <<"input_data">> => [1]}),
        json(#{<<"kernel_id">> => kernel(double), <<"input_data">> => [256]}),
        json(#{<<"kernel_id">> => kernel(double), <<"input_data">> => [-1]}),
        json(#{<<"kernel_id">> => kernel(double), <<"input_data">> => [1.5]}),
        json(#{<<"kernel_id">> => kernel(double), <<"input_data">> => [[1]]}),
        json(#{<<"kernel_id">> => kernel(double), <<"input_data">> => 7}),
        json(#{<<"kernel_id">> => kernel(double), <<"input_data">> => null, <<"params">> => [1]})
    ]],
    [Refused(<<"execute_kernel">>, json(#{<<"kernel_id">> => kernel(double), <<"input_data">> => [1],
                                          <<"output_size_hint">> => Hint})) || Hint <- [0, -1, 1.5, null, <<"many">>]],
    [Refused(<<"execute_kernel_with_params">>, json(#{<<"kernel_id">> => kernel(add_params), <<"input_data">> => [1],
                                                      <<"params">> => Params})) ||
        Params <- [1, null, <<"1,">>, <<"a">>, [1 bsl 32], [-1], [1.0], #{}]].

%% The node's log learns of every call and of every refusal.
events() ->
    Req = (json(#{<<"kernel_id">> => kernel(double), <<"input_data">> => [1]})),
    {ok, _} = dev_kem:execute_kernel(?DEVICE, Req, #{event_listener => self()}),
    {error, _} = dev_kem:execute_kernel(?DEVICE, #{}, #{event_listener => self()}),
    Events = [Event || {hb_event, kem, Event} <- kem_test_lib:flush()],
    ?assertMatch([{done, execute_kernel, #{input := 1, output := 1, microseconds := _,
                                           report := #{stages := #{execute := _}}}},
                  {refused, execute_kernel, {invalid_argument, _}}], Events).

%% The node's options configure the engine; a bad one is told. In VMs of their own.
node_options() ->
    Call = "dev_kem:get_adapter_info(#{}, #{}, #{kem_device => <<\"no such device\">>})",
    Clean = [{"KEM_DEVICE", false}],
    {ok, {Tag, Response}} = kem_test_lib:child(Clean, Call),
    ?assertMatch({failure, #{<<"status">> := 503, <<"error-class">> := <<"no_device">>}}, {Tag, Response}),
    {ok, Bad} = kem_test_lib:child(Clean, "dev_kem:get_adapter_info(#{}, #{}, #{kem_queue_length => <<\"none\">>})"),
    ?assertMatch({error, #{<<"status">> := 400}}, Bad),
    {ok, {ok, #{<<"body">> := Told}}} =
        kem_test_lib:child(Clean, "dev_kem:info(#{}, #{}, #{kem_language_extensions => <<\"first\">>})"),
    ?assertMatch(#{<<"wgsl_extensions">> := #{<<"linear_indexing">> := <<"switched_off">>}}, Told),
    {ok, {ok, #{<<"body">> := Untold}}} =
        kem_test_lib:child([{"KEM_NIF_PATH", "/nonexistent"}], "dev_kem:info(#{}, #{}, #{})"),
    ?assertMatch(#{<<"version">> := <<"1.0">>, <<"wgsl_extensions">> := None} when map_size(None) =:= 0, Untold),
    {ok, Unloaded} = kem_test_lib:child([{"KEM_NIF_PATH", "/nonexistent"}], "dev_kem:get_adapter_info(#{}, #{}, #{})"),
    ?assertMatch({failure, #{<<"status">> := 503, <<"error-class">> := <<"not_loaded">>}}, Unloaded).
