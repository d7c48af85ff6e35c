/**
 * Commands of the SDK's document clients for the embedded DynamoDB. Without most of the SDK, they take less than half of the CPU
 * time.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';

/** Performs an operation; both sides are DynamoDB's JSON. Undefined if it was refused or failed, and did nothing. */
type Perform = (operation: string, request: string) => Promise<string | undefined>;

/** Has a client perform its commands. One that does nothing is sent by the SDK, which knows errors, and when to try again. */
export function performDocuments(client: DynamoDBDocumentClient, perform: Perform): void {
  const { marshallOptions } = client.config.translateConfig ?? {};
  const options = { ...marshallOptions, convertTopLevelContainer: false as const };
  const toJson = (native: Readonly<Record<string, unknown>>): object => {
    const attributes = marshall(native, options);
    changeBinary({ M: attributes }, (octets) => Buffer.from(octets).toString('base64'));
    return attributes;
  };
  // The client that it was made from has the same stack, for commands in DynamoDB's JSON.
  client.middlewareStack = client.middlewareStack.clone();
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const request = JSON.stringify(converted(args.input, toJson));
        const answer = await perform(commandName.replace(/Command$/, ''), request);
        if (answer === undefined) return next(args);
        return { output: { $metadata: {}, ...converted(JSON.parse(answer), toNative) }, response: {} };
      },
    { step: 'initialize', priority: 'low' },
  );
}

function toNative(attributes: Record<string, AttributeValue>): object {
  changeBinary({ M: attributes }, (text) => new Uint8Array(Buffer.from(String(text), 'base64')));
  return unmarshall(attributes);
}

/** The members of requests and answers that are items or parts of them, and those that are lists of them. */
const ITEM = /^(?:Item|Key|Attributes|ExpressionAttributeValues|ExclusiveStartKey|LastEvaluatedKey)$/;
const LIST = /^(?:Items|Keys)$/;
/** The members of these are named after tables. */
const BY_TABLE: Readonly<Record<string, string>> = { Responses: 'Items', RequestItems: 'Requests' };

/** A copy of a request or an answer, or of its member with this name, with all its items converted. */
function converted<Item>(content: object, convert: (item: Item) => object, name = ''): object {
  if (Array.isArray(content))
    return content.map((one) => (LIST.test(name) ? convert(one) : converted(one, convert)));
  const members = Object.entries(content).map(([own, value]) => {
    const member = BY_TABLE[name] ?? own;
    if (ITEM.test(member)) return [own, value && convert(value)];
    return [own, typeof value === 'object' ? converted(value, convert, member) : value];
  });
  return Object.fromEntries(members);
}

interface Value {
  B?: Uint8Array | string;
  readonly L?: readonly Value[];
  readonly M?: Readonly<Record<string, Value>>;
}

/** Binary values are bytes in the SDK, and Base64 in JSON. They are changed in place. */
function changeBinary(value: Value, change: (binary: Uint8Array | string) => Uint8Array | string): void {
  if (value.B !== undefined) value.B = change(value.B);
  for (const inner of value.L ?? Object.values(value.M ?? {})) changeBinary(inner, change);
}
