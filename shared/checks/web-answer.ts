/** What checks make of the answers of web servers. */
import type { CertificateFacts, WebAnswer } from '../network/ports.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';

export interface Downloaded {
  readonly status: 'done';
  readonly body: Uint8Array;
  /** Type and subtype in lower case, without parameters; empty where none is stated (RFC 9110 section 8.3). */
  readonly mediaType: string;
  readonly certificate: CertificateFacts;
}

/** The answer is definite: the file is not to be had there. */
export interface DownloadFailed {
  readonly status: 'failed';
  readonly reason: 'no-address' | 'status' | (WebAnswer & { readonly status: 'rejected' })['reason'];
  readonly detail: string;
}

/** No answer, or one that says to come back later. */
export interface DownloadUnavailable {
  readonly status: 'unavailable';
  readonly detail: string;
}

export type Download = Downloaded | DownloadFailed | DownloadUnavailable;

/** Statuses of a server that cannot answer now (RFC 9110 section 15.6, RFC 6585 section 4). */
const temporaryStatuses = [429, 502, 503, 504];

/** Sorts an answer by what it says about the file that was asked for; only status 200 brings one. */
export function readDownload(answer: WebAnswer): Download {
  switch (answer.status) {
    case 'absent':
      return { status: 'failed', reason: answer.reason, detail: 'the host has no address' };
    case 'rejected':
      return { status: 'failed', reason: answer.reason, detail: describe(answer) };
    case 'unavailable':
      return { status: 'unavailable', detail: describe(answer) };
    case 'found':
      break;
  }
  const { httpStatus, headers, body, certificate } = answer;
  const detail = `status ${httpStatus}`;
  if (temporaryStatuses.includes(httpStatus)) return { status: 'unavailable', detail };
  if (httpStatus >= 300 && httpStatus < 400) return { status: 'failed', reason: 'redirect', detail };
  if (httpStatus !== 200) return { status: 'failed', reason: 'status', detail };
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return { status: 'done', body, mediaType: excerpt(type.trim().toLowerCase()), certificate };
}

function describe({ reason, detail }: { readonly reason: string; readonly detail: string }): string {
  return detail === '' ? reason : `${reason} (${excerpt(detail)})`;
}
