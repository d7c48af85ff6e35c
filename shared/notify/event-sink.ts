/**
 * Where the operator collects what webhooks are sent: an event bus on AWS, a file on one machine. An organization sends there with a
 * webhook whose host cannot exist (RFC 6761 section 6.4), so everything about webhooks applies: threshold, events, format, retries.
 */

const SINK_HOST = 'events.invalid';

/** Keeps the body of a webhook's request, as a line of JSON or several. @throws an error if it cannot. */
export type EventSink = (notification: { readonly id: string; readonly body: string }) => Promise<void>;

export const isForSink = (url: string): boolean => new URL(url).hostname === SINK_HOST;
