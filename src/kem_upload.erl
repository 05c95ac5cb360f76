%%% @doc Posts an image to the operator's upload service and answers with what names it there.
-module(kem_upload).

-export([wanted/2, post/3]).

%% @doc Whether this call's image is to be uploaded: the operator's option, and where it leaves the choice the
%% caller's argument `upload'.
-spec wanted(kem_request:arguments(), kem_options:options()) -> boolean().
wanted(_, #{kem_upload := always}) -> true;
wanted(Arguments, #{kem_upload := Mode}) ->
    case {kem_request:boolean(<<"upload">>, Arguments, false), Mode} of
        {true, off} -> throw({kem, {forbidden, <<"this node uploads nothing">>}});
        {Wanted, _} -> Wanted
    end.

%% @doc The name that the service gives the image: the member hash, optimistic_hash or id of its JSON answer, else the
%% whole answer.
-spec post(binary(), kem_options:options(), map()) -> {ok, binary()} | {error, kem:reason()}.
post(Image, #{kem_upload_endpoint := Endpoint, priv_kem_upload_token := Token}, Opts) ->
    #{scheme := Scheme, host := Host} = Uri = uri_string:parse(Endpoint),
    Port = maps:get(port, Uri, case Scheme of <<"https">> -> 443; _ -> 80 end),
    Path = case Uri of #{path := <<>>} -> <<"/">>; #{path := Given} -> Given end,
    Query = case Uri of #{query := Text} -> [$?, Text]; _ -> [] end,
    Request = #{
        peer => iolist_to_binary([Scheme, "://", Host, $:, integer_to_binary(Port)]),
        path => iolist_to_binary([Path, Query]),
        method => <<"POST">>,
        headers => headers(Token),
        body => Image
    },
    answer(hb_http_client:req(Request, Opts)).

headers(<<>>) -> #{<<"content-type">> => <<"image/png">>};
headers(Token) -> (headers(<<>>))#{<<"authorization">> => <<"Bearer ", Token/binary>>}.

answer({ok, Status, _, Body}) when Status >= 200, Status < 300 -> {ok, named(Body)};
answer({ok, Status, _, _}) -> failed(["status ", integer_to_binary(Status)]);
answer(_) -> failed("no answer").

named(Body) ->
    try hb_json:decode(Body) of
        #{<<"hash">> := Hash} when is_binary(Hash) -> Hash;
        #{<<"optimistic_hash">> := Hash} when is_binary(Hash) -> Hash;
        #{<<"id">> := Id} when is_binary(Id) -> Id;
        _ -> Body
    catch
        error:_ -> string:trim(Body)
    end.

failed(Why) ->
    {error, {gateway_unavailable, iolist_to_binary(["the upload service failed: ", Why])}}.
