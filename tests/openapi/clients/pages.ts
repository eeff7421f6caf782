/** Yields all members of a collection, page by page. `page` gets one page by its cursor. */
export async function* pages<Member>(
  page: (after?: string) => Promise<{ data?: { items: Member[]; next_cursor?: string } }>,
): AsyncGenerator<Member> {
  let after: string | undefined;
  do {
    const { data } = await page(after);
    if (!data) throw new Error("a page could not be read");
    yield* data.items;
    after = data.next_cursor;
  } while (after);
}
