// A small shelf that the tests of search boxes search.
export const BOOKS = [
  ['b01', 'Twenty Thousand Leagues Under the Seas', 'Jules Verne', 1870, 12.5, ['adventure', 'sea'], 'A professor travels below the ocean in a strange ship.'],
  ['b02', 'Around the World in Eighty Days', 'Jules Verne', 1872, 9, ['adventure', 'travel'], 'A gentleman wagers that he can travel round the world.'],
  ['b03', 'Journey to the Centre of the Earth', 'Jules Verne', 1864, 11, ['adventure', 'travel'], 'Three men climb down a volcano and find a sea below the earth.'],
  ['b04', 'The Time Machine', 'H. G. Wells', 1895, 8.25, ['science'], 'A traveller tells of the far future.'],
  ['b05', 'The War of the Worlds', 'H. G. Wells', 1898, 10, ['science', 'war'], 'Visitors from another world land near London.'],
  ['b06', 'Moby Dick', 'Herman Melville', 1851, 14, ['adventure', 'sea'], 'A captain hunts the white whale across every ocean.'],
  ['b07', 'Dracula', 'Bram Stoker', 1897, 7.75, ['horror'], 'A count from the mountains comes to England by ship.'],
  ['b08', 'Frankenstein', 'Mary Shelley', 1818, 6.5, ['horror', 'science'], 'A student makes a living being and flees from it.'],
  ['b09', 'War and Peace', 'Leo Tolstoy', 1869, 19.5, ['war'], 'Five families live through years of war.'],
  ['b10', 'Treasure Island', 'Robert Louis Stevenson', 1883, 9.5, ['adventure', 'sea'], 'A boy finds a map and sails for a treasure.']
].map(([id, title, author, year, price, tags, about]) => ({ id, title, author, year, price, tags, about }))

// Two numbers that say how much of the sea and how much of the future is in a book.
export const vectorOf = (book) => [book.tags.includes('sea') ? 1 : 0.1, book.tags.includes('science') ? 1 : 0.1]

export async function shelve (client, index) {
  const text = { type: 'text', fields: { keyword: { type: 'keyword' } } }
  await client.indices.create({
    index,
    mappings: {
      properties: {
        title: text,
        author: text,
        tags: { type: 'keyword' },
        year: { type: 'integer' },
        price: { type: 'float' },
        about: { type: 'text' },
        typed: { type: 'search_as_you_type' },
        published: { type: 'date' },
        vector: { type: 'dense_vector', dims: 2, similarity: 'cosine' }
      }
    }
  })
  const written = await client.bulk({
    index,
    refresh: true,
    operations: BOOKS.flatMap(({ id, ...book }) => [
      { index: { _id: id } },
      { ...book, typed: book.title, published: book.year + '-06-01', vector: vectorOf(book) }
    ])
  })
  if (written.errors) throw new Error(JSON.stringify(written.items))
}
