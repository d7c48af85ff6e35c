/** Outlook messages ([MS-OXMSG]) for tests. */
import { type CompoundOptions, compoundFile, type Tree } from './compound-file.ts';

export interface OutlookMessage {
  readonly headers?: string;
  readonly body?: string;
  readonly attachments?: readonly OutlookAttachment[];
}

export type OutlookAttachment =
  | {
      readonly name?: string;
      readonly shortName?: string;
      readonly type?: string;
      readonly bytes: Uint8Array;
    }
  | { readonly message: OutlookMessage };

export interface OutlookOptions extends CompoundOptions {
  /** The encoding of text properties: UTF-16, or the code page of old clients. */
  readonly text?: 'unicode' | 'octets';
}

export function outlookFile(message: OutlookMessage, { text = 'unicode', ...options }: OutlookOptions = {}) {
  const properties = (values: Readonly<Record<string, string | undefined>>): Tree =>
    Object.fromEntries(
      Object.entries(values).flatMap(([id, value]) =>
        value === undefined
          ? []
          : [
              text === 'unicode'
                ? [`__substg1.0_${id}001F`, Buffer.from(value, 'utf16le')]
                : [`__substg1.0_${id}001E`, Buffer.from(value, 'latin1')],
            ],
      ),
    );

  const messageTree = ({ headers, body, attachments = [] }: OutlookMessage, headerBytes: number): Tree => ({
    '__properties_version1.0': Buffer.alloc(headerBytes),
    ...properties({ '001A': 'IPM.Note', '0037': 'Report', '007D': headers, '1000': body }),
    '__recip_version1.0_#00000000': {
      '__properties_version1.0': Buffer.alloc(8),
      ...properties({ '3003': 'a@reports.example' }),
    },
    ...Object.fromEntries(
      attachments.map((attachment, index) => [
        `__attach_version1.0_#${index.toString(16).toUpperCase().padStart(8, '0')}`,
        attachmentTree(attachment),
      ]),
    ),
  });

  const attachmentTree = (attachment: OutlookAttachment): Tree => ({
    '__properties_version1.0': Buffer.alloc(8),
    ...('message' in attachment
      ? { '__substg1.0_3701000D': messageTree(attachment.message, 24) }
      : {
          '__substg1.0_37010102': attachment.bytes,
          ...properties({ '3704': attachment.shortName, '3707': attachment.name, '370E': attachment.type }),
        }),
  });

  return compoundFile({ '__nameid_version1.0': {}, ...messageTree(message, 32) }, options);
}
