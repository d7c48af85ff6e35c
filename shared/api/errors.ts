/** The body of every error response, for the OpenAPI document. */
import * as z from 'zod/mini';
import { described, list, text } from '../protocol/schema.ts';
import { type ErrorBody, type ErrorCode, errorTable } from './error-table.ts';

export const errorCode = described(
  z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]),
  'The kind of the error; stable, for programs',
);

export const errorDetail = z.object({
  path: described(text, 'Where the problem is', 'body.domain'),
  message: described(text, 'What the problem is', 'is required'),
});

const message = described(text, 'The error as a sentence, for people', 'The request is not valid.');

export const error = z.object({
  code: errorCode,
  message,
  details: described(z.exactOptional(list(errorDetail)), 'All problems of an invalid request'),
});

export const errorBody = z.object({
  error: described(error, 'The error'),
  message: described(message, 'The same message, where errors of gateways have theirs'),
  requestId: described(
    text,
    'ID of the request in the log of the service',
    'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
  ),
}) satisfies z.ZodMiniType<ErrorBody>;
