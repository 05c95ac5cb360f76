%%% @doc Has other nodes do the work: the node's hook `request', for the calls of this device that the host's routing
%%% table spreads over several nodes.
%%%
%%% ```
%%% on => #{<<"request">> => #{<<"device">> => <<"kem@1.0">>, <<"path">> => <<"relay">>}},
%%% routes => [#{<<"template">> => <<"/~kem@1.0/.*">>,
%%%              <<"nodes">> => [#{<<"prefix">> => <<"http://a:8734">>}, #{<<"prefix">> => <<"http://b:8734">>}]}]
%%% '''
%%%
%%% `router@1.0' matches a request with the table's templates. The call goes to one of the route's nodes; where that
%%% one does not answer or is busy, to another, `kem_relay_attempts' times in all. A kernel has no effects, so a second
%%% try can do no harm. A node that failed is asked after the others for a while. What no route matches is done here.
-module(kem_relay).

-export([request/3]).

-define(event(Event, Opts), hb_event:log(kem, Event, ?MODULE, ?FUNCTION_NAME, ?LINE, Opts)).
-define(OURS, "/~kem@1.0/").
-define(AVOIDED_MS, 2000).
%% Keys of a request that are about the connection it came by.
-define(HOP, [<<"path">>, <<"host">>, <<"method">>, <<"connection">>, <<"content-length">>, <<"transfer-encoding">>,
              <<"te">>, <<"expect">>, <<"upgrade">>, <<"accept-encoding">>]).
%% Keys of an answer that the host would take as more than an answer.
-define(ACTIVE, [<<"path">>, <<"device">>, <<"content-length">>, <<"transfer-encoding">>, <<"connection">>, <<"date">>,
                 <<"server">>, <<"commitments">>, <<"signature">>, <<"signature-input">>]).

-type message() :: map().
-type relayed() :: {ok | error | failure, message()}.

%% @doc The messages that the host is to resolve in the request's place: the other node's answer alone, or the
%% request's own.
-spec request(message(), message(), map()) -> {ok, message()} | kem_response:response().
request(_Base, #{<<"request">> := Request} = Req, Opts) when is_map(Request) ->
    case {route(Request, Opts), kem_options:read(Opts)} of
        {[], _} -> {ok, #{<<"body">> => maps:get(<<"body">>, Req, [])}};
        {Nodes, {ok, Options}} ->
            #{kem_relay_attempts := Attempts} = Options,
            {_, Answer} = relay(lists:sublist(Nodes, Attempts), Request, Options, Opts, busy),
            {ok, #{<<"body">> => [maps:without(?ACTIVE, Answer)]}};
        {_, {error, Reason}} -> kem_response:refusal(Reason)
    end;
request(_, _, _) ->
    kem_response:refusal({forbidden, <<"'relay' is for the node's hook 'request'">>}).

%% The prefixes of the nodes that the table has for this request, in the order in which they are to be tried.
route(#{<<"path">> := <<?OURS, _/binary>> = Path}, Opts) ->
    Table = #{<<"device">> => <<"router@1.0">>, <<"routes">> => hb_opts:get(routes, [], Opts)},
    case hb_ao:resolve(Table, #{<<"path">> => <<"match">>, <<"route-path">> => Path}, Opts) of
        {ok, #{<<"nodes">> := Nodes}} -> order([Prefix || #{<<"prefix">> := Prefix} <- listed(Nodes)]);
        {ok, #{<<"node">> := #{<<"prefix">> := Prefix}}} -> [Prefix];
        _ -> []
    end;
route(_, _) ->
    [].

listed(Nodes) when is_map(Nodes) -> maps:values(maps:without([<<"device">>], Nodes));
listed(Nodes) -> Nodes.

order(Nodes) ->
    Shuffled = [Node || {_, Node} <- lists:sort([{rand:uniform(), Node} || Node <- Nodes])],
    {Avoided, Sound} = lists:partition(fun avoided/1, Shuffled),
    Sound ++ Avoided.

%% `Last' is what the last node came to that could not do it.
-spec relay([binary()], message(), kem_options:options(), map(), term()) -> relayed().
relay([], _, _, _, {_, #{<<"status">> := _}} = Answer) ->
    Answer;
relay([], _, _, _, _) ->
    kem_response:refusal({gateway_unavailable, <<"no node that this one relays to answers">>});
relay([Node | Rest], Request, Options, Opts, Last) ->
    case ask(Node, Request, Options, Opts) of
        {final, Answer} ->
            forgive(Node),
            Answer;
        {busy, Answer} ->
            _ = ?event({relay_busy, Node}, Opts),
            relay(Rest, Request, Options, Opts, Answer);
        {dead, Why} ->
            _ = ?event({relay_dead, Node, Why}, Opts),
            avoid(Node),
            relay(Rest, Request, Options, Opts, Last)
    end.

%% The host's client raises where a node cannot be reached.
ask(Node, #{<<"path">> := Path} = Request, #{kem_relay_timeout_ms := Timeout}, Opts) ->
    Method = maps:get(<<"method">>, Request, <<"GET">>),
    ClientOpts = Opts#{http_request_send_timeout => Timeout},
    try hb_http:request(Method, Node, Path, maps:without(?HOP, Request), ClientOpts) of
        {_, #{<<"status">> := Status}} = Answer when Status =:= 429; Status =:= 502; Status =:= 503 ->
            {busy, Answer};
        {_, #{<<"status">> := _}} = Answer -> {final, Answer};
        Other -> {dead, Other}
    catch
        Kind:Reason -> {dead, {Kind, Reason}}
    end.

%%% Nodes that failed, by when they did: one atomic for each node of the operator's table.

avoid(Node) ->
    atomics:put(failure(Node), 1, now_ms()).

forgive(Node) ->
    atomics:put(failure(Node), 1, 0).

avoided(Node) ->
    Failed = atomics:get(failure(Node), 1),
    Failed =/= 0 andalso now_ms() - Failed < ?AVOIDED_MS.

%% Since the VM's start, and never 0, which says that the node has not failed.
now_ms() ->
    1 + erlang:convert_time_unit(erlang:monotonic_time() - erlang:system_info(start_time), native, millisecond).

failure(Node) ->
    case persistent_term:get({?MODULE, Node}, undefined) of
        undefined ->
            Ref = atomics:new(1, [{signed, true}]),
            persistent_term:put({?MODULE, Node}, Ref),
            Ref;
        Ref ->
            Ref
    end.
