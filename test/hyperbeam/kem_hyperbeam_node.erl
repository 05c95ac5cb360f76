%%% @doc Nodes for the suite in a HyperBEAM checkout, in this VM or in ones of their own, and requests to them.
-module(kem_hyperbeam_node).

-export([start/0, start/1, options/0, start_process/1, start_in_process/1, kill/1, post/5, post_alone/4, get/2, lua_modules/0]).

-type node_url() :: binary().

%% @doc A node of this VM that runs callers' sources too.
-spec start() -> node_url().
start() ->
    start(#{}).

-spec start(map()) -> node_url().
start(Options) ->
    {ok, _} = application:ensure_all_started([inets, ssl, prometheus]),
    hb_http_server:start_node(maps:merge((options())#{port => free_port()}, Options)).

%% @doc The options of its nodes: kernels come from the store alone.
-spec options() -> map().
options() ->
    #{kem_gateways => <<>>, kem_inline_source => <<"true">>, priv_wallet => ar_wallet:new()}.

free_port() ->
    {ok, Socket} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(Socket),
    ok = gen_tcp:close(Socket),
    Port.

%% @doc A node in a VM of its own, whose engine has these options.
-spec start_process(map()) -> {pid(), OsPid :: string(), node_url()}.
start_process(Options) ->
    Paths = lists:append([["-pa", Path] || Path <- code:get_path(), Path =/= "."]),
    {ok, Peer, _} = peer:start(#{connection => {{127, 0, 0, 1}, 0}, args => Paths, wait_boot => 60000}),
    {OsPid, Url} = peer:call(Peer, ?MODULE, start_in_process, [Options], 120000),
    {Peer, OsPid, Url}.

%% @private
start_in_process(Options) ->
    Self = self(),
    %% The host's servers are linked to whoever starts them: a process that stays.
    spawn(fun() -> Self ! {url, start(Options)}, receive stop -> ok end end),
    receive {url, Url} -> {os:getpid(), Url} end.

%% @doc Ends a VM at once, as a machine's failure would. Nothing if it has ended.
-spec kill({pid(), string(), node_url()}) -> ok.
kill({_, OsPid, _}) ->
    _ = os:cmd("kill -9 " ++ OsPid),
    ok.

%% @doc Status, headers and body, as they are on the wire.
-spec post(node_url(), string(), [{string(), string()}], string(), binary()) -> {integer(), map(), binary()}.
post(Node, Path, Headers, Type, Body) ->
    answer(httpc:request(post, {url(Node, Path), Headers, Type, Body}, [{timeout, 120000}], [{body_format, binary}])).

%% @doc The beginning of the answer as text, from a connection of its own: httpc may have a request wait for the end of
%% another.
-spec post_alone(node_url(), string(), [{string(), string()}], binary()) -> binary().
post_alone(Node, Path, Headers, Body) ->
    #{host := Host, port := Port} = uri_string:parse(binary_to_list(Node)),
    {ok, Socket} = gen_tcp:connect(Host, Port, [binary, {active, false}]),
    Lines = [[Name, ": ", Value, "\r\n"] || {Name, Value} <- [{"host", Host}, {"content-length", integer_to_list(byte_size(Body))}
                                                             | Headers]],
    ok = gen_tcp:send(Socket, ["POST /", Path, " HTTP/1.1\r\n", Lines, "\r\n", Body]),
    {ok, Head} = gen_tcp:recv(Socket, 0, 60000),
    ok = gen_tcp:close(Socket),
    Head.

-spec get(node_url(), string()) -> {integer(), map(), binary()}.
get(Node, Path) ->
    answer(httpc:request(get, {url(Node, Path), []}, [{timeout, 120000}], [{body_format, binary}])).

url(Node, Path) -> binary_to_list(Node) ++ Path.

answer({ok, {{_, Status, _}, Headers, Body}}) -> {Status, maps:from_list(Headers), Body}.

%% @doc The Lua library and the example process, as a process's modules.
-spec lua_modules() -> [map()].
lua_modules() ->
    [begin
        {ok, Text} = file:read_file(filename:join(os:getenv("KEM_PROJECT"), File)),
        #{<<"content-type">> => <<"application/lua">>, <<"name">> => list_to_binary(File), <<"body">> => Text}
    end || File <- ["lua/kem.lua", "test/kem-device.lua"]].
