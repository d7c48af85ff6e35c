/** What CloudFormation asks of the function behind a custom resource: an answer to each event, whatever happens. */
import type {
  CloudFormationCustomResourceEvent as Event,
  CloudFormationCustomResourceResponse as Response,
} from 'aws-lambda';
import { createLog } from '../../../shared/runtime/log.ts';

/** CloudFormation waits for the answer until the stack's own timeout, so one that got lost is sent again. */
const SENDINGS = 3;

/** The answer may have 4096 octets, and is shown in a terminal. */
const MAX_REASON = 1000;

/**
 * Makes the handler of a custom resource that does one thing.
 *
 * @param physicalId Stays the same for ever: another one would tell CloudFormation to delete the thing afterwards.
 * @param act Does what the event asks; what it returns is logged and told with the answer, and what it throws fails
 *   the deployment, with its message.
 */
export function customResource(
  physicalId: string,
  act: (event: Event) => Promise<string | undefined>,
): (event: Event) => Promise<void> {
  return async (event) => {
    const { StackId, RequestId, LogicalResourceId, ResponseURL } = event;
    const answer = { StackId, RequestId, LogicalResourceId, PhysicalResourceId: physicalId };
    await act(event).then(
      (note) => {
        if (note !== undefined) createLog('info').warn(note);
        return send(ResponseURL, { ...answer, Status: 'SUCCESS', ...(note && { Reason: note }) });
      },
      (error: unknown) => send(ResponseURL, { ...answer, Status: 'FAILED', Reason: reasonOf(error) }),
    );
  };
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON);
}

/** @throws when CloudFormation's address does not take the answer; Lambda then runs the function again. */
async function send(url: string, response: Omit<Response, 'Reason'> & { Reason?: string }): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    // The address is signed for a request without a content type.
    const sent = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': '' },
      body: JSON.stringify(response),
    }).catch((error: Error) => error);
    if (sent instanceof globalThis.Response && sent.ok) return;
    if (attempt < SENDINGS) continue;
    throw sent instanceof Error ? sent : new Error(`CloudFormation answered ${sent.status}`);
  }
}
