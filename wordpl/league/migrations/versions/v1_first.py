"""Create the tables for people, posts, results and reading progress.

Revision: v1, the first.
"""

import sqlalchemy as sa
from alembic import op

revision = "v1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    _make_people()
    _make_posts()


def _make_people() -> None:
    op.create_table(
        "leagues",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("key", sa.Text, nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("named", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("league_id", sa.Integer, sa.ForeignKey("leagues.id"), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("is_id", sa.Boolean, nullable=False),
        sa.UniqueConstraint("league_id", "key", "is_id", name="one_person"),
    )
    op.create_table(
        "sightings",
        sa.Column("league_id", sa.Integer, sa.ForeignKey("leagues.id"), primary_key=True),
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("shown", sa.Boolean, primary_key=True),
        sa.Column("seen", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "aliases",
        sa.Column("league_id", sa.Integer, sa.ForeignKey("leagues.id"), primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("first_number", sa.Integer, primary_key=True),
        sa.Column("last_number", sa.Integer, nullable=False),
        sa.Column("player", sa.Text, nullable=False),
    )


def _make_posts() -> None:
    op.create_table(
        "posts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("league_id", sa.Integer, sa.ForeignKey("leagues.id"), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("posted", sa.BigInteger),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("day_from", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer),
        sa.Column("number_version", sa.Text, nullable=False),
        sa.UniqueConstraint("league_id", "source", "key", name="one_post"),
    )
    op.create_table(
        "results",
        sa.Column("post_id", sa.Integer, sa.ForeignKey("posts.id"), primary_key=True),
        sa.Column("person_id", sa.Integer, sa.ForeignKey("people.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("guesses", sa.SmallInteger, primary_key=True),
        sa.Column("hard", sa.Boolean, nullable=False),
        sa.Column("grid", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "progress",
        sa.Column("league_id", sa.Integer, sa.ForeignKey("leagues.id"), primary_key=True),
        sa.Column("channel", sa.Text, primary_key=True),
        sa.Column("newest", sa.BigInteger, nullable=False),
        sa.Column("oldest", sa.BigInteger, nullable=False),
        sa.Column("complete", sa.Boolean, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    for table in ("progress", "results", "posts", "aliases", "sightings", "people", "leagues"):
        op.drop_table(table)
