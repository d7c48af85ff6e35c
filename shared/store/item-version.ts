/**
 * Every item carries the version of its layout. The code reads all versions up to its own: older items are upgraded to
 * the current layout when they are read, so the entity files know only one layout.
 *
 * A layout needs a new version only if older code would misread it. Additional attributes need none: older code ignores
 * them, and current code reads items without them.
 *
 * An item newer than the code was written before a rollback. Reading it fails instead of guessing: the request fails or
 * the message stays in its queue, and operators see it. Two releases prevent this: the first reads the new layout, the
 * second writes it, so there is always a release to roll back to.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { packedReport } from './reports/first-layout.ts';

export type Item = Readonly<Record<string, unknown>>;

/**
 * For each kind of item, the upgrades from one layout to the next, oldest first. The kind is the first word of the sort
 * key, plus `#` if more follows; for items whose sort key is only an id, it is the partition. An upgrade must tolerate
 * missing attributes, because a read can request only some. Updates may only touch attributes that mean the same in
 * every stored layout.
 */
export type Layouts = Readonly<Record<string, readonly ((item: Item) => Item)[]>>;

/** Kinds that are not listed still have their first layout. */
const layouts: Layouts = { 'DMARC#': [packedReport], 'TLS#': [packedReport] };

/** An item that newer code wrote. */
export class NewerItem extends Error {
  override readonly name = 'NewerItem';

  constructor(kind: string, version: number, known: number) {
    super(
      `an item ${kind} has version ${version}, and this code knows up to ${known}: deploy the newer code again`,
    );
  }
}

/** Makes `client` add the version to every item that it writes and upgrade every item that it reads. */
export function versionItems(client: DynamoDBDocumentClient, kinds: Layouts = layouts): void {
  client.middlewareStack.add(
    (next) => async (call) => {
      const answer = await next({ ...call, input: stamped(call.input as Puts, kinds) as typeof call.input });
      return { ...answer, output: upgraded(answer.output as Found, kinds) as typeof answer.output };
    },
    { step: 'initialize', priority: 'high', name: 'versionItems', override: true },
  );
}

interface Puts {
  readonly Item?: Item;
  readonly TransactItems?: readonly { readonly Put?: { readonly Item: Item } }[];
  /** An object instead of a list for reads. */
  readonly RequestItems?: Readonly<
    Record<string, readonly { readonly PutRequest?: { readonly Item: Item } }[] | object>
  >;
}

/** The three commands that write whole items; a batch of reads passes through. */
function stamped(input: Puts, kinds: Layouts): Puts {
  const stamp = (item: Item): Item => ({ ...item, version: versionOf(kindOf(item), kinds) });
  const { Item, TransactItems, RequestItems } = input;
  return {
    ...input,
    ...(Item && { Item: stamp(Item) }),
    ...(TransactItems && {
      TransactItems: TransactItems.map((one) =>
        one.Put ? { ...one, Put: { ...one.Put, Item: stamp(one.Put.Item) } } : one,
      ),
    }),
    ...(RequestItems && {
      RequestItems: Object.fromEntries(
        Object.entries(RequestItems).map(([table, requests]) => [
          table,
          Array.isArray(requests)
            ? requests.map((one) =>
                one.PutRequest
                  ? { ...one, PutRequest: { ...one.PutRequest, Item: stamp(one.PutRequest.Item) } }
                  : one,
              )
            : requests,
        ]),
      ),
    }),
  };
}

interface Found {
  readonly Item?: Item;
  readonly Items?: readonly Item[];
  readonly Attributes?: Item;
  readonly Responses?: Readonly<Record<string, readonly Item[]>>;
}

function upgraded(output: Found, kinds: Layouts): Found {
  const { Item, Items, Attributes, Responses } = output;
  return {
    ...output,
    ...(Item && { Item: upgrade(Item, kinds) }),
    ...(Items && { Items: Items.map((item) => upgrade(item, kinds)) }),
    ...(Attributes && { Attributes: upgrade(Attributes, kinds) }),
    ...(Responses && {
      Responses: Object.fromEntries(
        Object.entries(Responses).map(([table, items]) => [table, items.map((item) => upgrade(item, kinds))]),
      ),
    }),
  };
}

/** @throws NewerItem */
function upgrade(item: Item, kinds: Layouts): Item {
  const { version = 1 } = item;
  const kind = kindOf(item);
  if (Number(version) > versionOf(kind, kinds))
    throw new NewerItem(kind, Number(version), versionOf(kind, kinds));
  return (kinds[kind] ?? []).slice(Number(version) - 1).reduce((older, step) => step(older), item);
}

const versionOf = (kind: string, kinds: Layouts): number => 1 + (kinds[kind] ?? []).length;

function kindOf({ pk, sk }: Item): string {
  const [, word, more] = /^([A-Z]+)([#@]?)/.exec(String(sk)) ?? [];
  return word === undefined ? String(pk) : `${word}${more === '' ? '' : '#'}`;
}
