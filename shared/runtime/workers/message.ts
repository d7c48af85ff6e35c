/** Parsing of queue messages: like everything that comes from outside, each is checked against its schema. */
import * as z from 'zod/mini';

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
  const { success, data, error } = z.safeParse(schema, fromJson(body));
  if (success) return data;
  const reasons = error.issues.map(({ path, message }) => `${path.join('.') || 'the message'}: ${message}`);
  throw new MalformedMessage(`the message does not match its schema: ${reasons.join('; ')}`);
}

function fromJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new MalformedMessage('the message is not JSON');
  }
}
