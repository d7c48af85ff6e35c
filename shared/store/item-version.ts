/**
 * Every item carries the version of its layout, and the code reads every version up to its own: what is older is
 * brought to the layout of today on its way out of the table, so that no entity knows of any other.
 *
 * A layout gets a new version only where code of before would misread it. Attributes that come in addition need none:
 * code of before leaves them alone, and code of today reads items without them.
 *
 * An item that is newer than the code was written before somebody went back to this version of the code. It is refused
 * and not guessed at: a request fails, a message waits in its queue, and both tell operators, where a misread item
 * would be written back in pieces. Two releases keep that from happening: the first one reads the new layout, the
 * second writes it; so there is always one to go back to.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export type Item = Readonly<Record<string, unknown>>;

/**
 * For each kind of item the steps from one layout to the next, the first layout's first. A kind is the word that its
 * sort key begins with, and `#` where something follows it; of items whose sort key is only an id it is the partition.
 * A step copes with attributes that are not there, since a read may have asked for some only; and an update touches
 * only attributes that mean the same in every layout that is still stored.
 */
export type Layouts = Readonly<Record<string, readonly ((item: Item) => Item)[]>>;

/** Kinds that are not named here have their first layout. */
const layouts: Layouts = {};

/** An item that code of a later version wrote. */
export class NewerItem extends Error {
  override readonly name = 'NewerItem';

  constructor(kind: string, version: number, known: number) {
    super(
      `an item ${kind} has version ${version}, and this code knows up to ${known}: deploy the newer code again`,
    );
  }
}

/** Sees to it that whatever is put through `client` gets its version, and whatever is read has the layout of today. */
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
  readonly RequestItems?: Readonly<
    Record<string, readonly { readonly PutRequest?: { readonly Item: Item } }[]>
  >;
}

/** The three ways in which a whole item is written. */
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
          requests.map((one) =>
            one.PutRequest
              ? { ...one, PutRequest: { ...one.PutRequest, Item: stamp(one.PutRequest.Item) } }
              : one,
          ),
        ]),
      ),
    }),
  };
}

interface Found {
  readonly Item?: Item;
  readonly Items?: readonly Item[];
  readonly Attributes?: Item;
}

function upgraded(output: Found, kinds: Layouts): Found {
  const { Item, Items, Attributes } = output;
  return {
    ...output,
    ...(Item && { Item: upgrade(Item, kinds) }),
    ...(Items && { Items: Items.map((item) => upgrade(item, kinds)) }),
    ...(Attributes && { Attributes: upgrade(Attributes, kinds) }),
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
