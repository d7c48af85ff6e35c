/**
 * Outlook messages: a compound file with a stream for every property if Outlook saved them (.msg, [MS-OXMSG]), and the
 * format that Exchange sends (winmail.dat, [MS-OXTNEF]).
 */
import { readHeaderSection } from '../../protocol/message/header-section.ts';
import {
  isMessage,
  type MessageHeaders,
  type MessagePart,
  messageParts,
  type PartBudget,
} from '../message.ts';
import { notAReport } from '../refusal.ts';
import { openCompoundFile, type Storage, type Stream } from './compound-file.ts';
import { ATTACHMENT, PROPERTIES, PROPERTY, streamName, TYPE } from './properties.ts';
import { isTnef, openTnef } from './tnef.ts';

type Listed = ReadonlyMap<string, Stream | Storage>;

/**
 * The text and the attachments of a message and of the messages inside it. Throws a refusal if the file is corrupt or not
 * a message.
 */
export async function* outlookParts(
  bytes: Uint8Array,
  budget: PartBudget,
  level: number,
): AsyncGenerator<MessagePart> {
  const message = (isTnef(bytes) ? openTnef(bytes) : openCompoundFile(bytes)).list();
  if (!message.has(PROPERTIES)) throw notAReport('it is a Microsoft Office file, but not a message');
  yield* partsOf(message, budget, level);
}

async function* partsOf(message: Listed, budget: PartBudget, level: number): AsyncGenerator<MessagePart> {
  const headers = headersOf(text(message, PROPERTY.transportHeaders));
  budget.spend(level);
  const body = Buffer.from(text(message, PROPERTY.body));
  yield { type: 'text/plain', fileName: '', bytes: body, headers, level };
  const names = [...message.keys()].filter((name) => name.startsWith(ATTACHMENT)).sort();
  for (const name of names) {
    const attachment = storage(message, name)?.list() ?? new Map();
    const inner = storage(attachment, streamName(PROPERTY.data, TYPE.object))?.list();
    if (inner?.has(PROPERTIES)) {
      yield* partsOf(inner, budget, level + 1);
      continue;
    }
    budget.spend(level);
    const type = text(attachment, PROPERTY.mimeType).toLowerCase() || 'application/octet-stream';
    const fileName = text(attachment, PROPERTY.longFileName) || text(attachment, PROPERTY.fileName);
    const content = stream(attachment, streamName(PROPERTY.data, TYPE.binary)) ?? new Uint8Array();
    if (isMessage(type, fileName, content)) yield* messageParts(content, budget, level + 1);
    else yield { type, fileName, bytes: content, headers, level };
  }
}

function stream(of: Listed, name: string): Uint8Array | undefined {
  const found = of.get(name);
  return found?.kind === 'stream' ? found.read() : undefined;
}

function storage(of: Listed, name: string): Storage | undefined {
  const found = of.get(name);
  return found?.kind === 'storage' ? found : undefined;
}

/** The code page is unknown, but everything that is read from these bytes is ASCII. */
function text(of: Listed, property: number): string {
  const unicode = stream(of, streamName(property, TYPE.unicode));
  const octets = unicode ?? stream(of, streamName(property, TYPE.octets)) ?? new Uint8Array();
  return Buffer.from(octets).toString(unicode === undefined ? 'latin1' : 'utf16le');
}

function headersOf(section: string): MessageHeaders {
  const { fields } = readHeaderSection(Buffer.from(section));
  return new Map(fields.map(({ name, value }) => [name, value]));
}
