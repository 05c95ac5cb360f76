%%% @doc How many calls each caller has under way, for the operator's `kem_max_jobs_per_caller'.
%%%
%%% A process of the node counts, from the first call that has to be counted on. It watches the processes that call, so
%%% that the call of one that dies counts no longer.
-module(kem_callers).

-behaviour(gen_server).

-export([enter/2, leave/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).

-type caller() :: binary().
-type entry() :: reference().
-export_type([caller/0, entry/0]).

%% By entry, whose; by caller, how many.
-type state() :: {#{entry() => [caller()]}, #{caller() => pos_integer()}}.

%% @doc A call of the calling process begins, unless one of those who signed it has as many under way as may be.
-spec enter([caller()], pos_integer()) -> {ok, entry()} | {error, full}.
enter(Callers, Most) ->
    try
        gen_server:call(?MODULE, {enter, Callers, Most}, infinity)
    catch
        exit:{noproc, _} ->
            % If another process is faster, that one's is the server.
            _ = gen_server:start({local, ?MODULE}, ?MODULE, [], []),
            enter(Callers, Most)
    end.

%% @doc The call has ended.
-spec leave(entry()) -> ok.
leave(Entry) ->
    gen_server:cast(?MODULE, {leave, Entry}).

%% @private
-spec init([]) -> {ok, state()}.
init([]) ->
    {ok, {#{}, #{}}}.

%% @private The entry is the monitor of the calling process.
-spec handle_call({enter, [caller()], pos_integer()}, gen_server:from(), state()) ->
    {reply, {ok, entry()} | {error, full}, state()}.
handle_call({enter, Callers, Most}, {Pid, _}, {Entries, Counts}) ->
    case [Caller || Caller <- Callers, maps:get(Caller, Counts, 0) >= Most] of
        [] ->
            Entry = monitor(process, Pid),
            {reply, {ok, Entry}, {Entries#{Entry => Callers}, lists:foldl(fun more/2, Counts, Callers)}};
        _ ->
            {reply, {error, full}, {Entries, Counts}}
    end.

%% @private
-spec handle_cast({leave, entry()}, state()) -> {noreply, state()}.
handle_cast({leave, Entry}, {Entries, _} = State) ->
    % An entry of a server that has died is not this one's.
    _ = is_map_key(Entry, Entries) andalso demonitor(Entry, [flush]),
    {noreply, without(Entry, State)}.

%% @private
-spec handle_info(term(), state()) -> {noreply, state()}.
handle_info({'DOWN', Entry, process, _, _}, State) -> {noreply, without(Entry, State)};
handle_info(_, State) -> {noreply, State}.

without(Entry, {Entries, Counts}) ->
    case maps:take(Entry, Entries) of
        {Callers, Rest} -> {Rest, lists:foldl(fun fewer/2, Counts, Callers)};
        error -> {Entries, Counts}
    end.

more(Caller, Counts) -> maps:update_with(Caller, fun(Count) -> Count + 1 end, 1, Counts).

fewer(Caller, Counts) ->
    case Counts of
        #{Caller := 1} -> maps:remove(Caller, Counts);
        #{Caller := Count} -> Counts#{Caller := Count - 1}
    end.
