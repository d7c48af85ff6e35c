/**
 * Queue messages. Like everything that comes from outside, each is checked against its schema. During a deployment, and after
 * going back to the release before, messages of one release are read by another.
 */
import * as z from 'zod/mini';
import { correlationId } from '../../network/correlation.ts';

/**
 * The version of the messages that this release sends. It goes up when the release before could not read one of them correctly.
 * This release reads messages of the version before, too; those without a version are from before there was one.
 */
const MESSAGE_VERSION = 1;

/** The body of a queue message. */
export const messageBody = (message: object): string =>
  JSON.stringify({ ...message, messageVersion: MESSAGE_VERSION, correlation: correlationId() });

const versioned = z.object({ messageVersion: z._default(z.number(), 0) });
/** IDs of this service and of AWS. Anything else would be somebody's text in the log. */
const withCorrelation = z.object({ correlation: z.string().check(z.regex(/^[\w=+/-]{1,100}$/)) });

/** The ID that the sender of a message passed on; undefined if there is none. */
export const correlationOf = (body: string): string | undefined =>
  z.safeParse(withCorrelation, parsedJson(body)).data?.correlation;

export type MessageSchema<Message> = z.ZodMiniType<Message>;

/** A message that no sender of the service writes. The error contains no values, because the log must not show them. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/**
 * The message in the body of a queue message.
 * @throws MalformedMessage
 */
export function parseMessage<Message>(body: string, schema: MessageSchema<Message>): Message {
  const message = fromJson(body);
  const { messageVersion = 0 } = z.safeParse(versioned, message).data ?? {};
  if (messageVersion > MESSAGE_VERSION)
    throw new MalformedMessage(
      `the message has version ${messageVersion}, and this release reads up to ${MESSAGE_VERSION}: deploy the release that sent it`,
    );
  const { success, data, error } = z.safeParse(schema, message);
  if (success) return data;
  const reasons = error.issues.map(({ path, message }) => `${path.join('.') || 'the message'}: ${message}`);
  throw new MalformedMessage(`the message does not match its schema: ${reasons.join('; ')}`);
}

function fromJson(body: string): unknown {
  const parsed = parsedJson(body);
  if (parsed === undefined) throw new MalformedMessage('the message is not JSON');
  return parsed;
}

/** Undefined if it is not JSON. */
function parsedJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
