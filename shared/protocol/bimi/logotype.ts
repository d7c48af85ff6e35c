/** The logo inside a mark certificate: the logotype extension (RFC 9399 section 4.1). */
import { childrenAt, childrenTagged, readDer, readObjectIdentifier } from './der.ts';

export interface Logotype {
  readonly mediaType: string;
  readonly digests: readonly { readonly algorithm: string; readonly value: Uint8Array }[];
  /** The URI of the image, which is a `data:` URI in mark certificates. */
  readonly uri: string;
}

const LOGOTYPE = '1.3.6.1.5.5.7.1.12';

/** Maximum number of digests per image. */
const MAX_DIGESTS = 8;

const digestAlgorithms: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

const SEQUENCE = 0x30;
const EXTENSIONS = 0xa3;
const SUBJECT_LOGO = 0xa2;
const DIRECT = 0xa0;

/** The first image of the subject logo in a DER certificate; undefined if there is none or it cannot be parsed. */
export function readLogotype(certificate: Uint8Array): Logotype | undefined {
  const extension = readExtension(certificate, LOGOTYPE);
  if (extension === undefined) return undefined;
  const subjectLogo = childrenTagged(childrenAt(readDer(extension), 0), SUBJECT_LOGO);
  // LogotypeInfo is a CHOICE of implicitly tagged types: `direct [0]` is the LogotypeData itself.
  const images = childrenTagged(childrenTagged(subjectLogo, DIRECT), SEQUENCE);
  const details = childrenAt(childrenAt(images, 0), 0);
  const [mediaType, , addresses] = details ?? [];
  const uri = addresses === undefined ? undefined : readDer(addresses.content)?.[0];
  if (mediaType === undefined || uri === undefined) return undefined;
  const digests = (childrenAt(details, 1) ?? []).slice(0, MAX_DIGESTS).flatMap(({ content }) => {
    const pair = readDer(content);
    const identifier = childrenAt(pair, 0)?.[0];
    const value = pair?.[1]?.content;
    const algorithm =
      identifier === undefined ? undefined : digestAlgorithms[readObjectIdentifier(identifier.content)];
    return algorithm === undefined || value === undefined ? [] : [{ algorithm, value }];
  });
  return { mediaType: asciiOf(mediaType.content), digests, uri: asciiOf(uri.content) };
}

/** The value of an extension (RFC 5280 section 4.1): the octets inside its OCTET STRING. */
function readExtension(certificate: Uint8Array, identifier: string): Uint8Array | undefined {
  const body = childrenAt(childrenAt(readDer(certificate), 0), 0);
  for (const { content } of childrenAt(childrenTagged(body, EXTENSIONS), 0) ?? []) {
    const parts = readDer(content);
    if (parts?.[0] !== undefined && readObjectIdentifier(parts[0].content) === identifier) {
      return parts.at(-1)?.content;
    }
  }
  return undefined;
}

function asciiOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
