/** A queue in which groups take turns, each in the order of its items. */
export function fairQueue<Item>() {
  /** The groups that wait, in the order of their turns. */
  const groups = new Map<string, Item[]>();
  return {
    /** How many items of the group wait. */
    waiting: (group: string): number => groups.get(group)?.length ?? 0,

    add(group: string, item: Item): void {
      const items = groups.get(group);
      if (items === undefined) groups.set(group, [item]);
      else items.push(item);
    },

    /** Whether an item of a group that may have a turn waits. */
    has: (mayTake: (group: string) => boolean): boolean => [...groups.keys()].some(mayTake),

    /** Takes the first item of the next group that may have a turn; undefined if there is none. */
    take(mayTake: (group: string) => boolean): Item | undefined {
      for (const [group, items] of groups) {
        if (!mayTake(group)) continue;
        const item = items.shift();
        groups.delete(group);
        if (items.length > 0) groups.set(group, items);
        return item;
      }
      return undefined;
    },
  };
}

/** Counts by group; groups without any are not kept. */
export function groupCounts() {
  const counts = new Map<string, number>();
  return {
    of: (group: string): number => counts.get(group) ?? 0,
    change(group: string, by: 1 | -1): void {
      const count = (counts.get(group) ?? 0) + by;
      if (count === 0) counts.delete(group);
      else counts.set(group, count);
    },
  };
}
