"""The judged questions, as they are committed, and what must hold of them."""

import os
import re

import texts

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST = {"en": 300}  # questions of a language; of the others
LEAST_OF_OTHERS = 40

# Words that carry no content: two texts that share nothing else share no word.
EMPTY = {language: frozenset(words.split()) for language, words in {
    "en": """a an the of to in on for and or is are be it its with from by at as that this these
        those what which who how why do does did can i my me you your we our not no all any some one
        into out up so than then if when where there was were has have had but only should will
        would may must very more most other use using used""",
    "de": """der die das den dem des ein eine einen einem einer und oder in im ins auf an am von vom
        zu zum zur mit ohne für ist sind was wie wer wo ich mein meine es sie nicht kein keine aus bei
        nach auch soll sollen dass daran darauf sich wenn jeder jedes alle gerade noch viel viele man
        als""",
    "es": """el la los las un una unos unas de del al a en y o por para con sin es son que qué cómo
        cuánto cada lo mi mis me se no ha he ser como más muy solo sea hay""",
    "fr": """le la les l un une des de du d à au aux et ou en dans sur par pour avec sans est sont ce
        qui que quoi quel quelle quels je j mon ma mes ne n pas il elle se s va t y a plus moins trop
        comment combien depuis vers""",
    "ru": """и в во на не что как с по из за к у о от для я мой мои свой это то так ли же бы или до
        при через который какие есть нет его нельзя все всё быть""",
}.items()}


class Question:
    def __init__(self, number, text, answer):
        self.number, self.text, self.answer = number, text, answer
        self.language = number.split("-")[0]
        self.held_out = int(number.split("-")[1]) % 2 == 0
        self.grades = {}  # document -> 1, 2 or 3


def rows(name):
    with open(os.path.join(HERE, name)) as file:
        return [line.rstrip("\n").split("\t") for line in file if line[0] != "#"]


def questions():
    """All questions with their judgements, in the order of the file."""
    found = {row[0]: Question(*row) for row in rows("questions.tsv")}
    for number, document, grade in rows("judgements.tsv"):
        found[number].grades[document] = int(grade)
    for question in found.values():
        if question.grades.get(question.answer) != 3:
            raise AssertionError(f"{question.number}: its answer {question.answer} has not grade 3")
    for language in texts.LANGUAGES:
        count = sum(question.language == language for question in found.values())
        if count < LEAST.get(language, LEAST_OF_OTHERS):
            raise AssertionError(f"only {count} questions in {language}")
    return list(found.values())


def content(text, language):
    """The first five letters of each word with content: forms of one word are one."""
    return {word[:5] for word in re.findall(r"[^\W_]+", text.lower())
            if len(word) > 1 and word not in EMPTY[language]}


def in_other_words(question, title):
    """Whether the question shares no content word with the title of its answer."""
    return not content(question.text, question.language) & content(title, question.language)
