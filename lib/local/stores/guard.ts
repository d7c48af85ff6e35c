/** Access control for the embedded endpoints. */
import type { LoopbackAnswer, LoopbackRequest } from './loopback-server.ts';

/** Responds to a request itself, or returns the response of `answer`. */
export type IamAuthorizer = (
  request: LoopbackRequest,
  answer: (request: LoopbackRequest) => LoopbackAnswer | Promise<LoopbackAnswer>,
) => LoopbackAnswer | Promise<LoopbackAnswer>;

/** The access key of the host itself, which has all permissions. */
export const HOST_ACCESS_KEY = 'local';
