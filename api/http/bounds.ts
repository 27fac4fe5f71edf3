// The limits of a connection, of the requests on it and of their answers.

/** Size of the request line and the headers together; a larger one is answered with 431. */
export const MAX_HEAD_BYTES = 16 * 1024
/** A request with this many headers is answered with 431, because Node silently drops those above the limit. */
export const MAX_HEADERS = 200
/** Time for the headers to arrive, from the first byte or the opening of the connection; then 408. */
export const HEAD_SECONDS = 20
/** Time for the whole request to arrive, including its body; then 408. Bodies have their own, shorter ones; uploads need the longest. */
export const REQUEST_SECONDS = 180
/** How long an idle connection stays open. Longer than the 60 s of nginx and of AWS load balancers, so that the proxy closes first. */
export const KEEP_ALIVE_SECONDS = 72
/** How long a caller may read nothing of an answer that is ready; then the connection is closed. */
export const UNREAD_SECONDS = 10
/** Time from the end of a request's headers to the last byte of its answer, including streams. */
export const ANSWER_SECONDS = 330
/** Unanswered requests on one connection; above this limit no more are read. Pipelining lets a caller send without reading. */
export const MAX_UNANSWERED = 100
/** How much is read and discarded after the last accepted request, until its answer is sent. */
export const MAX_DISCARDED_BYTES = 16 * 1024 * 1024
/** Refused connections that are answered at the same time; others are closed without an answer. */
export const MAX_REFUSED = 100
/** How long a refused connection stays open for the caller to read its answer. */
export const REFUSED_SECONDS = 1
/** How often Node checks for connections whose headers or requests are overdue. */
export const CHECK_SECONDS = 2
