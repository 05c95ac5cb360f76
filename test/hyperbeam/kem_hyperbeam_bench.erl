%%% @doc Measures the device in a real node. Prints; judges nothing.
-module(kem_hyperbeam_bench).

-export([run/0]).

-define(DOUBLE, <<"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg">>).

%% @doc 8 MiB through HTTP beside the host's own echo of them; the device's keys beside kem:run.
-spec run() -> ok.
run() ->
    Node = kem_hyperbeam_node:start(),
    Bytes = binary:copy(<<1, 2, 3, 4>>, 2 * 1024 * 1024),
    Type = "application/octet-stream",
    Headers = [{"kernel-id", binary_to_list(?DOUBLE)}],
    Echo = fun() -> {200, _, Body} = kem_hyperbeam_node:post(Node, "~message@1.0/body", Headers, Type, Bytes),
                    true = byte_size(Bytes) =:= byte_size(Body) end,
    Kernel = fun() -> {200, _, Body} = kem_hyperbeam_node:post(Node, "~kem@1.0/run", Headers, Type, Bytes),
                      true = byte_size(Bytes) =:= byte_size(Body) end,
    {EchoTime, KernelTime} = pairs(Echo, Kernel, 7),
    io:format("8 MiB through HTTP: echo ~.1f ms, kernel ~.1f ms, ratio ~.2f~n",
              [EchoTime / 1000, KernelTime / 1000, KernelTime / EchoTime]),
    Small = <<1, 3, 5, 7>>,
    Opts = kem_hyperbeam_node:options(),
    Request = #{<<"path">> => <<"run">>, <<"kernel-id">> => ?DOUBLE, <<"body">> => Small},
    Device = #{<<"device">> => <<"kem@1.0">>},
    NodeMessage = maps:merge(hb_opts:default_message(), Opts),
    Below = fun() -> {ok, _} = kem:run(?DOUBLE, Small, #{}) end,
    Above = fun() -> {ok, _} = dev_kem:run(Device, Request, NodeMessage) end,
    Resolved = fun() -> {ok, _} = hb_ao:resolve(Device, Request, NodeMessage) end,
    {BelowTime, AboveTime} = pairs(Below, Above, 400),
    {_, ResolvedTime} = pairs(Below, Resolved, 100),
    {ok, #{name := Adapter}} = kem:adapter_info(),
    io:format("OTP ~ts, ~ts, ~ts.so~n", [erlang:system_info(otp_release), Adapter, kem_nif:library()]),
    io:format("4 bytes: kem:run ~.1f us, dev_kem:run ~.1f us, the device's part ~.1f us; through hb_ao:resolve ~.1f us~n",
              [BelowTime * 1.0, AboveTime * 1.0, AboveTime - BelowTime * 1.0, ResolvedTime * 1.0]).

%% Medians in microseconds, taken in turn so that the machine's moods meet both.
pairs(One, Other, Rounds) ->
    _ = One(), _ = Other(),
    Times = [{time(One), time(Other)} || _ <- lists:seq(1, Rounds)],
    {median([Time || {Time, _} <- Times]), median([Time || {_, Time} <- Times])}.

time(Function) ->
    Begun = erlang:monotonic_time(nanosecond),
    _ = Function(),
    (erlang:monotonic_time(nanosecond) - Begun) / 1000.

median(Times) -> lists:nth((length(Times) + 1) div 2, lists:sort(Times)).
