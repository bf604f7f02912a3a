"""The table: read, checked and transformed here, once."""

from gpnet.data.dataset import Dataset
from gpnet.data.load import check_table, load_table

__all__ = ["Dataset", "check_table", "load_table"]
