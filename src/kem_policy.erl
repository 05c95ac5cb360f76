%%% @doc Who may run what on this node: the operator's lists of kernels and of callers, how many jobs a caller may have
%%% at a time, and the longest time that a call may ask for.
%%%
%%% A caller is the address that signed the request, and counts only if the signature is right: where the node's option
%%% `force_signed_requests' is true the host has seen to that, otherwise it is verified here, which can be done for
%%% requests to `/~kem@1.0/KEY' whose arguments are not in the path. Calls from processes of this node carry no
%%% signature. Who has none is the caller `unsigned', a word that may be in the lists.
-module(kem_policy).

-export([kernel/2, caller/3, in_turn/3, time_limit/2]).

-define(UNSIGNED, <<"unsigned">>).
-define(DEFAULT_TIME_MS, 30000).

%% @doc Whether the options let this kernel run.
-spec kernel(kem:kernel(), kem_options:options()) -> ok | {error, {forbidden, binary()}}.
kernel({source, _}, #{kem_inline_source := false}) ->
    forbidden(<<"this node runs no source that callers send, only kernels by their id">>);
kernel({source, _}, #{kem_allow_kernels := Allowed}) when is_list(Allowed) ->
    forbidden(<<"this node runs only the kernels that its operator lists">>);
kernel({source, _}, _) ->
    ok;
kernel(Id, #{kem_allow_kernels := Allowed, kem_deny_kernels := Denied}) ->
    case listed([Id], Allowed) andalso not lists:member(Id, Denied) of
        true -> ok;
        false -> forbidden(<<"this node's operator does not let this kernel run">>)
    end.

%% @doc Who calls, if the options let them: who signed the request. Not asked where no option needs it.
-spec caller(term(), kem_options:options(), map()) ->
    {ok, [kem_callers:caller()] | anybody} | {error, {forbidden, binary()}}.
caller(_, #{kem_allow_callers := all, kem_deny_callers := [], kem_max_jobs_per_caller := unlimited}, _) ->
    {ok, anybody};
caller(Req, #{kem_allow_callers := Allowed, kem_deny_callers := Denied}, Opts) ->
    Callers = case signers(Req, Opts) of [] -> [?UNSIGNED]; Signers -> Signers end,
    case listed(Callers, Allowed) andalso not lists:any(fun(Caller) -> lists:member(Caller, Denied) end, Callers) of
        true -> {ok, Callers};
        false -> forbidden(<<"this node's operator does not serve this caller">>)
    end.

%% @doc What Function comes to, if these callers may have one more job under way.
-spec in_turn([kem_callers:caller()] | anybody, kem_options:options(), fun(() -> Result)) ->
    {ok, Result} | {error, {caller_busy, binary()}}.
in_turn(_, #{kem_max_jobs_per_caller := unlimited}, Function) ->
    {ok, Function()};
in_turn(Callers, #{kem_max_jobs_per_caller := Most}, Function) ->
    case kem_callers:enter(Callers, Most) of
        {ok, Entry} ->
            try {ok, Function()}
            after kem_callers:leave(Entry)
            end;
        {error, full} ->
            {error, {caller_busy, <<"this caller has as many jobs under way as this node's operator allows">>}}
    end.

listed(_, all) -> true;
listed(Names, Allowed) -> lists:any(fun(Name) -> lists:member(Name, Allowed) end, Names).

%% A signature that does not hold is none.
signers(Req, Opts) when is_map(Req) ->
    Message = maps:remove(<<"device">>, Req),
    try hb_message:signers(Message) of
        [] -> [];
        Signers ->
            case hb_opts:get(force_signed_requests, false, Opts) =:= true orelse verified(Message, Signers) of
                true -> Signers;
                false -> []
            end
    catch
        _:_ -> []
    end;
signers(_, _) ->
    [].

%% The path is signed too, and of `/~kem@1.0/run' the host leaves `run'.
verified(Message, Signers) ->
    Path = maps:get(<<"path">>, Message, <<>>),
    Whole = Message#{<<"path">> => <<"/~kem@1.0/", Path/binary>>},
    lists:any(fun(Candidate) -> hb_message:verify(Candidate, Signers) =:= true end, [Whole, Message]).

%% @doc The call's options with a time limit that is no longer than the operator's.
-spec time_limit(kem:options(), kem_options:options()) -> kem:options().
time_limit(#{timeout := Asked} = Options, #{engine := Engine}) ->
    Options#{timeout => min(Asked, longest(kem_config:value(job_timeout_ms, Engine)))};
time_limit(Options, _) ->
    Options.

longest(undefined) ->
    ?DEFAULT_TIME_MS;
longest(Text) ->
    try binary_to_integer(Text)
    catch error:badarg -> throw({kem, {invalid_argument, <<"node option 'kem_job_timeout_ms' must be a whole number">>}})
    end.

forbidden(Message) ->
    {error, {forbidden, Message}}.
