"""gensim: latent semantic indexing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gensim import corpora, matutils, models
from gensim.parsing.preprocessing import STOPWORDS
from gensim.utils import simple_preprocess

from peers.protocol import Vectors, run

TOPICS = 200


class Lsi(Vectors):
    """Words to tf-idf to 200 directions, as gensim's own tutorial has it."""

    packages = ("gensim",)
    settings = f"tf-idf and LsiModel with {TOPICS} topics, words of 2 pages to half of all, gensim's stop words"

    def build(self, texts: Sequence[str], folder: Path) -> None:
        """Learn from all pages, and project them."""
        words = [[word for word in simple_preprocess(text) if word not in STOPWORDS] for text in texts]
        dictionary = corpora.Dictionary(words)
        dictionary.filter_extremes(no_below=2, no_above=0.5, keep_n=200_000)
        counts = [dictionary.doc2bow(page) for page in words]
        weights = models.TfidfModel(counts, smartirs="ltc")
        lsi = models.LsiModel(weights[counts], id2word=dictionary, num_topics=TOPICS, random_seed=1)
        self.keep(matutils.corpus2dense(lsi[weights[counts]], TOPICS, len(texts)).T, folder)
        lsi.save(str(folder / "lsi"))
        dictionary.save(str(folder / "dictionary"))


if __name__ == "__main__":
    run(Lsi())
