%%% @doc The programs that are measured beside kem: the floors of hand-written Vulkan, Dawn under Node and wgpu. What is
%%% not there is skipped, with the reason.
%%%
%%% <ul>
%%%   <li>`KEM_FLOORS': the floors' program, `build/kem_floors' if not set;</li>
%%%   <li>`WEBGPU_MODULE': Dawn, the index.js of npm's `webgpu'; with Node on the path;</li>
%%%   <li>`WGPU_PEER': the program of `wgpu_peer', which `make peers' leaves at the default place;</li>
%%%   <li>`SWIFTSHADER': libvk_swiftshader.so, a second driver to measure on.</li>
%%% </ul>
-module(kem_bench_peers).

-export([drivers/0, floors/4, peers/0, measure/3, program_rows/3]).

-type environment() :: [{string(), string() | false}].
-type values() :: #{binary() => float()}.
-type peer() :: {Name :: binary(), Program :: string(), Arguments :: [string()]}.
-export_type([environment/0, values/0]).

%% @doc The environments to measure in: as it is, and SwiftShader's if that is there.
-spec drivers() -> [environment()].
drivers() ->
    case os:getenv("SWIFTSHADER") of
        false ->
            [[]];
        Library ->
            Directory = kem_test_lib:directory("driver"),
            File = filename:join(Directory, "icd.json"),
            Icd = #{<<"file_format_version">> => <<"1.0.0">>,
                    <<"ICD">> => #{<<"library_path">> => unicode:characters_to_binary(filename:absname(Library)),
                                   <<"api_version">> => <<"1.1.0">>}},
            ok = file:write_file(File, hb_json:encode(Icd)),
            [[], [{"VK_DRIVER_FILES", File}, {"VK_ICD_FILENAMES", File}, {"XDG_RUNTIME_DIR", Directory}]]
    end.

%% @doc The floors on the device of that UUID, in microseconds by name, with so much time for each.
-spec floors(environment(), binary(), pos_integer(), number()) -> {ok, values()} | {skipped, iodata()}.
floors(Environment, Uuid, LargeBytes, Seconds) ->
    Program = os:getenv("KEM_FLOORS", "build/kem_floors"),
    values(program_rows(Program, [seconds(Seconds), integer_to_list(LargeBytes), binary_to_list(Uuid)], Environment)).

%% @doc Every peer, or why it is not there.
-spec peers() -> [{ok, peer()} | {skipped, binary(), iodata()}].
peers() ->
    [dawn(), wgpu()].

dawn() ->
    case {os:find_executable("node"), os:getenv("WEBGPU_MODULE")} of
        {false, _} -> {skipped, <<"Dawn">>, "there is no node"};
        {_, false} -> {skipped, <<"Dawn">>, "WEBGPU_MODULE does not name the index.js of npm's webgpu"};
        {Node, _} -> {ok, {<<"Dawn">>, Node, [filename:join(kem_bench:folder(), "dawn_calls.mjs")]}}
    end.

wgpu() ->
    Program = os:getenv("WGPU_PEER", "build/wgpu_peer/release/wgpu_peer"),
    case filelib:is_regular(Program) of
        true -> {ok, {<<"wgpu">>, Program, []}};
        false -> {skipped, <<"wgpu">>, ["there is no ", Program, ": make peers builds it where there is cargo"]}
    end.

%% @doc What a peer's calls take on a driver, in microseconds by name.
-spec measure(peer(), environment(), {LargeBytes :: pos_integer(), Seconds :: number()}) ->
    {ok, values()} | {skipped, iodata()}.
measure({_, Program, Arguments}, Environment, {LargeBytes, Seconds}) ->
    values(program_rows(Program, Arguments ++ [kem_bench:folder(), integer_to_list(LargeBytes), seconds(Seconds)],
                        Environment)).

values({ok, Rows}) ->
    {ok, maps:from_list([{Name, float(Value)} || #{<<"name">> := Name, <<"value">> := Value} <- Rows])};
values({skipped, Why}) ->
    {skipped, Why}.

seconds(Seconds) ->
    float_to_list(float(Seconds), [{decimals, 3}]).

%% @doc The rows that a program prints: a line of its output that begins with a bracket.
-spec program_rows(string(), [string()], environment()) -> {ok, [map()]} | {skipped, iodata()}.
program_rows(Program, Arguments, Environment) ->
    case os:find_executable(filename:absname(Program)) of
        false ->
            {skipped, ["there is no ", Program]};
        Found ->
            Port = open_port({spawn_executable, Found},
                             [{args, Arguments}, {env, Environment}, exit_status, binary, stderr_to_stdout]),
            rows(collect(Port, <<>>))
    end.

collect(Port, Output) ->
    receive
        {Port, {data, Data}} -> collect(Port, <<Output/binary, Data/binary>>);
        {Port, {exit_status, Status}} -> {Status, Output}
    after 300000 ->
        true = port_close(Port),
        {no_end, Output}
    end.

rows({0, Output}) ->
    [Rows] = [hb_json:decode(Line) || <<"[", _/binary>> = Line <- binary:split(Output, <<"\n">>, [global])],
    {ok, Rows};
rows({Status, Output}) ->
    Lines = [Line || Line <- binary:split(Output, <<"\n">>, [global]), Line =/= <<>>],
    {skipped, io_lib:format("it ended with ~p: ~ts", [Status, lists:last([<<"no word">> | Lines])])}.
