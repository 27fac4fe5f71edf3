// The bounds of a connection, of the requests on it and of their answers: what no caller may exceed.

/** The line of the request and its headers together; more is 431. */
export const MOST_HEAD_BYTES = 16 * 1024
/** Node drops further headers without a word, so a request with as many is 431. */
export const MOST_HEADERS = 200
/** For the headers to arrive, from the first byte or the opening of the connection; then 408. */
export const HEAD_SECONDS = 20
/** For the whole request to arrive, its body included; then 408. */
export const REQUEST_SECONDS = 60
/** How long a connection may wait for its next request. Longer than the 60 s of nginx and of AWS load balancers: the proxy must close first. */
export const KEEP_ALIVE_SECONDS = 72
/** How long a caller may take nothing of an answer that is ready. */
export const UNREAD_SECONDS = 10
/** From the end of a request's headers to the last byte of its answer, streams included. */
export const ANSWER_SECONDS = 330
/** Requests of one connection that are not answered yet, since pipelining lets a caller send without reading; then no more are taken. */
export const MOST_UNANSWERED = 100
/** What is read and thrown away behind the last request that was taken, until its answer is sent. */
export const MOST_DISCARDED_BYTES = 16 * 1024 * 1024
/** Refused connections that are still told so at the same time; those beyond are closed without an answer. */
export const MOST_REFUSED = 100
/** How long a refused connection is left open for its answer to be read. */
export const REFUSED_SECONDS = 1
/** How often Node looks for connections whose headers or requests are overdue. */
export const CHECK_SECONDS = 2
