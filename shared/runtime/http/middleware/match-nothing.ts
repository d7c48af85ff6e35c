import type { MiddlewareObj } from '@middy/core';
import type { EndpointEvent } from '../endpoint-event.ts';
import { isCurrent } from '../entity-tag.ts';
import { ServiceError } from '../errors.ts';

const NO_VERSIONS = 'The resource has no ETag that If-Match could name; leave the header out.';

/** No tag in `If-Match` is that of a resource without versions (RFC 9110 section 13.1.1). */
export const matchNothing = (): MiddlewareObj<EndpointEvent> => ({
  before: ({ event }) => {
    if (!isCurrent('', event.headers['if-match'])) throw new ServiceError('precondition_failed', NO_VERSIONS);
  },
});
