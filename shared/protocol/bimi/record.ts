/** The BIMI Assertion Record at `<selector>._bimi.<domain>` (draft-brand-indicators-for-message-identification-10). */
import { isIP } from 'node:net';
import { bimiRules } from '../findings/bimi.ts';
import { excerpt, excerpts } from '../findings/excerpt.ts';
import { type Finding, hasErrors, raiser } from '../findings/finding.ts';
import { type ParsedRecord, type PublishedRecord, readPublished } from '../published-record.ts';
import { parseTagList } from '../tag-list.ts';

export interface BimiRecord {
  readonly version: 'BIMI1';
  /** The URL of the logo, https in a valid record; null if the `l` tag is empty. */
  readonly location: string | null;
  /** The URL of the authority evidence, https in a valid record; null if there is none. */
  readonly authority: string | null;
  /** What to show if the sender has a personal avatar. */
  readonly avatarPreference: 'brand' | 'personal';
  /** The local part of the sender determines the selector (`lps=true`). */
  readonly localPartSelector: boolean;
  /** `l=; a=;`: the domain declines BIMI (section 4.3.1). */
  readonly declined: boolean;
}

/** The tags that the draft defines. Receivers ignore others. */
const knownTags = ['v', 'l', 'a', 'avp', 'lps'];

const raise = raiser(bimiRules);

/** Finds and parses the record among the TXT records of its name. Several count as none (section 7.2). */
export function readBimiRecords(texts: readonly string[]): PublishedRecord<BimiRecord> {
  return readPublished(texts, {
    isRecord: (text) => versionOf(text) === 'BIMI1',
    resembles,
    parse: parseBimiRecord,
    several: (count) => raise('bimi-multiple-records', { count }),
  });
}

/** Parses one TXT record. If it is invalid, `findings` explains why. */
export function parseBimiRecord(text: string): ParsedRecord<BimiRecord> {
  const { tags, problems } = parseTagList(text);
  if (tags[0]?.name !== 'v' || tags[0].value !== 'BIMI1') {
    const ignored = raise('bimi-record-ignored', { text: excerpt(text) });
    return { record: null, valid: false, findings: [ignored] };
  }
  const findings: Finding[] = [];
  const values = new Map(tags.map(({ name, value }) => [name, value]));
  const broken = problems.filter(({ kind }) => kind !== 'duplicate').map((problem) => problem.text);
  const repeated = problems.filter(({ kind }) => kind === 'duplicate').map((problem) => problem.text);
  const unknown = tags.filter(({ name }) => !knownTags.includes(name)).map(({ name }) => name);
  if (broken.length > 0) findings.push(raise('bimi-record-malformed', { tags: excerpts(broken) }));
  if (repeated.length > 0) findings.push(raise('bimi-tags-repeated', { tags: excerpts(repeated) }));
  if (unknown.length > 0) findings.push(raise('bimi-tags-unknown', { tags: excerpts(unknown) }));

  const word = <W extends string>(tag: string, words: readonly W[], otherwise: W): W => {
    const value = values.get(tag);
    const found = words.find((known) => known === value);
    if (value !== undefined && found === undefined) {
      findings.push(raise('bimi-value-ignored', { tag, value: excerpt(value) }));
    }
    return found ?? otherwise;
  };
  const avatarPreference = word('avp', ['brand', 'personal'], 'brand');
  const localPartSelector = word('lps', ['true', 'false'], 'false') === 'true';

  const location = values.get('l');
  const authority = values.get('a') ?? '';
  for (const [tag, uri] of [
    ['l', location ?? ''],
    ['a', authority],
  ] as const) {
    if (uri !== '' && !isHttpsUri(uri)) findings.push(raise('bimi-uri-invalid', { tag, uri: excerpt(uri) }));
  }
  if (location === undefined) findings.push(raise('bimi-location-missing'));
  else if (location === '' && authority !== '') findings.push(raise('bimi-location-empty'));
  else if (isOtherFormat(location)) findings.push(raise('bimi-location-not-svg', { uri: excerpt(location) }));

  const record: BimiRecord = {
    version: 'BIMI1',
    location: location === undefined || location === '' ? null : location,
    authority: authority === '' ? null : authority,
    avatarPreference,
    localPartSelector,
    declined: location === '' && authority === '',
  };
  return { record, valid: !hasErrors(findings), findings };
}

function versionOf(text: string): string | undefined {
  const [first] = parseTagList(text.split(';', 1)[0] ?? '').tags;
  return first?.name === 'v' ? first.value : undefined;
}

/** Whether a text was meant to be a BIMI record: wrong case or order, text before the version, or no version. */
function resembles(text: string): boolean {
  return /bimi\s*1|v\s*=["'\s]*bimi|^\s*l\s*=/i.test(text.slice(0, 64));
}

/** Whether the text is one absolute https URI with a fully qualified domain name and encoded commas (bimi-uri). */
function isHttpsUri(uri: string): boolean {
  if (!/^https:\/\/[^/]/i.test(uri) || !/^[\w\-.~:/?#[\]@!$&'()*+;=%]+$/.test(uri)) return false;
  if (!URL.canParse(uri)) return false;
  const { hostname, username, password } = new URL(uri);
  const isName = /^[^.[\]]+(\.[^.[\]]+)+\.?$/.test(hostname) && isIP(hostname) === 0;
  return isName && username === '' && password === '';
}

/** Section 4.3.2: the file extension of another image format is a permanent error. */
function isOtherFormat(uri: string): boolean {
  const path = URL.canParse(uri) ? new URL(uri).pathname : '';
  return /\.(png|jpe?g|gif|webp|bmp|ico|tiff?|avif|pdf|eps)$/i.test(path);
}
