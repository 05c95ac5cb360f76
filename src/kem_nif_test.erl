%%% @doc Tests of the four functions that callers of the Rust device know. `test/0' runs them and prints what it
%%% finds; it raises if one fails.
-module(kem_nif_test).

-export([test/0]).

-include_lib("eunit/include/eunit.hrl").

-define(DOUBLE, <<"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg">>).
-define(PIXELIZE, <<"K0YjS909xy9M5jUt8OfR_9pbNnWvCpmlGWgndoBNMt0">>).

-spec test() -> ok.
test() ->
    ok = eunit:test([{?MODULE, Name} || Name <- [hello_test, adapter_info_test, double_test, params_test, error_test]],
                    [verbose]).

hello_test() ->
    ?assertEqual(<<"Hello world!">>, kem_nif:hello()).

adapter_info_test() ->
    Info = kem_nif:adapter_info(),
    {match, Matches} = re:run(Info, "\"([a-z_]+)\":", [global, {capture, all_but_first, binary}]),
    ?assertEqual([<<"name">>, <<"vendor">>, <<"device">>, <<"driver">>, <<"backend">>, <<"driver_info">>],
                 lists:append(Matches)),
    ?assertMatch({match, _}, re:run(Info, "\"backend\":\"vulkan\"")),
    ?assertMatch({match, _}, re:run(Info, "\"vendor\":[0-9]+,\"device\":[0-9]+,")).

double_test() ->
    ?assertEqual(<<2, 6, 10, 14>>, kem_nif:execute_kernel(?DOUBLE, <<1, 3, 5, 7>>, 1)).

params_test() ->
    Pixels = << <<N, N, N, 255>> || N <- lists:seq(1, 16) >>,
    Params = <<4:32/little, 4:32/little, 4:32/little, 0:32/little>>,
    Output = kem_nif:execute_kernel_with_params(?PIXELIZE, Pixels, Params),
    ?assertEqual(byte_size(Pixels), byte_size(Output)),
    ?assertNotEqual(Pixels, Output),
    ?assertEqual(Output, kem_nif:execute_kernel_with_params(?PIXELIZE, Pixels, Params)).

error_test() ->
    ?assertError({invalid_kernel_id, _}, kem_nif:execute_kernel(<<"nonsense">>, <<1, 3, 5, 7>>, 1)).
