#!/usr/bin/env escript
%%! -noinput
%% `make demo`: three kernels through the NIF. Pictures go to the directory that is its argument.
-mode(compile).

-define(DOUBLE, <<"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg">>).
-define(GLITCH, <<"GBPZsoX_NugmvImUVUn0loXeJbAb-U6QVgOWRWuYVIE">>).
-define(PIXELIZE, <<"K0YjS909xy9M5jUt8OfR_9pbNnWvCpmlGWgndoBNMt0">>).
-define(WIDTH, 960).
-define(HEIGHT, 640).

main([Directory]) ->
    true = code:add_patha(filename:absname("_build/default/lib/kem/ebin")),
    io:format("GPU: ~ts~n", [adapter()]),

    io:format("~nDoubling <<1,3,5,7>>, kernel ~ts~n", [?DOUBLE]),
    {Doubled, Report} = run(?DOUBLE, <<1, 3, 5, 7>>, #{output_size_hint => 1}),
    io:format("  => ~p~n", [Doubled]),
    stages(Report),
    Doubled =:= <<2, 6, 10, 14>> orelse fail("the doubling kernel gave something else than <<2,6,10,14>>", []),

    ok = filelib:ensure_dir(filename:join(Directory, "x")),
    Before = filename:join(Directory, "before.png"),
    io:format("~nA picture to work on, ~b x ~b, kernels/landscape.wgsl~n", [?WIDTH, ?HEIGHT]),
    {ok, Landscape} = file:read_file("kernels/landscape.wgsl"),
    Blank = <<0:(?WIDTH * ?HEIGHT * 32)>>,
    {Pixels, PictureReport} = run({source, Landscape}, Blank, #{params => params(7), dispatch => grid}),
    Png = png(?WIDTH, ?HEIGHT, Pixels),
    save(Before, Png),
    stages(PictureReport),

    effect("Glitch, smallest blocks 12 pixels", ?GLITCH, Png, 12, filename:join(Directory, "after-glitch.png")),
    effect("Pixelize, blocks of 24 pixels", ?PIXELIZE, Png, 24, filename:join(Directory, "after-pixelize.png")),
    io:format("~nLook at the pictures in ~ts/~n", [Directory]).

effect(Title, Kernel, Png, Size, File) ->
    io:format("~n~ts, kernel ~ts~n", [Title, Kernel]),
    {Result, Report} = run(Kernel, Png, #{params => params(Size), dispatch => grid, image => true}),
    save(File, Result),
    stages(Report).

params(Third) -> <<?WIDTH:32/little, ?HEIGHT:32/little, Third:32/little, 0:32>>.

adapter() ->
    case kem:adapter_info() of
        {ok, #{name := Name, driver := Driver, driver_info := Info}} -> [Name, ", driver ", Driver, " ", Info];
        {error, Reason} -> fail("no GPU: ~ts", [reason(Reason)])
    end.

run(Kernel, Input, Options) ->
    case kem:run(Kernel, Input, Options#{report => true}) of
        {ok, Output, Report} -> {Output, Report};
        {error, Reason} -> fail("~ts", [reason(Reason)])
    end.

reason({Class, Message}) -> [atom_to_list(Class), ": ", Message];
reason(Reason) -> io_lib:format("~p", [Reason]).

save(File, Bytes) ->
    ok = file:write_file(File, Bytes),
    io:format("  => ~ts~n", [File]).

%% One line: the stages in the order in which a job passes them; a cache answers those of 0.
stages(#{stages := Stages, kernel_origin := Origin}) ->
    Order = [queue, fetch, front_end, spirv, pipeline, upload, execute, readback],
    Times = [io_lib:format("~s ~.1f", [Stage, map_get(Stage, Stages) / 1000]) || Stage <- Order],
    io:format("  kernel from ~ts; ms: ~ts~n", [Origin, lists:join(", ", Times)]).

%% RGBA8 rows as a PNG file.
png(Width, Height, Pixels) ->
    Stride = Width * 4,
    Rows = [[0, binary:part(Pixels, Row * Stride, Stride)] || Row <- lists:seq(0, Height - 1)],
    [Header, Data, End] = [
        chunk("IHDR", <<Width:32, Height:32, 8, 6, 0, 0, 0>>), chunk("IDAT", zlib:compress(Rows)), chunk("IEND", <<>>)
    ],
    iolist_to_binary([<<137, "PNG\r\n", 26, "\n">>, Header, Data, End]).

chunk(Type, Data) ->
    [<<(byte_size(Data)):32>>, Type, Data, <<(erlang:crc32([Type, Data])):32>>].

-spec fail(string(), list()) -> no_return().
fail(Format, Arguments) ->
    io:format(standard_error, "demo: " ++ Format ++ "~n", Arguments),
    halt(1).
