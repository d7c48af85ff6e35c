/** What stands before the embedded endpoints where they do not take every request of every caller. */
import type { LoopbackAnswer, LoopbackRequest } from './loopback-server.ts';

/** Answers a request itself, or with what `answer` says to it. */
export type Guard = (
  request: LoopbackRequest,
  answer: (request: LoopbackRequest) => LoopbackAnswer | Promise<LoopbackAnswer>,
) => LoopbackAnswer | Promise<LoopbackAnswer>;

/** The access key of the host itself, which may everything. */
export const HOST_ACCESS_KEY = 'local';

export const openToAll: Guard = (request, answer) => answer(request);
